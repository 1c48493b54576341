//! Calls of the thread library that a reader knows by name, recognised by the text of an event's instruction.

/// What a call is for, with the verb that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// Takes a lock or the like with one read-modify-write, and waits until it can.
    Take(&'static str),
    /// Takes it if it can.
    Try(&'static str),
    /// Gives it back, or tells others.
    Give(&'static str),
    /// Waits for others to tell.
    Wait,
    Start,
    Join,
}

/// Names of functions and what they are for.
const CALLS: &[(&str, Call)] = &[
    ("pthread_mutex_lock", Call::Take("locks")),
    ("pthread_spin_lock", Call::Take("locks")),
    ("mtx_lock", Call::Take("locks")),
    ("spin_lock", Call::Take("locks")),
    ("mutex_lock", Call::Take("locks")),
    ("pthread_rwlock_rdlock", Call::Take("read-locks")),
    ("pthread_rwlock_wrlock", Call::Take("write-locks")),
    ("sem_wait", Call::Take("takes")),
    ("pthread_mutex_trylock", Call::Try("locks")),
    ("pthread_spin_trylock", Call::Try("locks")),
    ("mtx_trylock", Call::Try("locks")),
    ("spin_trylock", Call::Try("locks")),
    ("mutex_trylock", Call::Try("locks")),
    ("pthread_rwlock_tryrdlock", Call::Try("read-locks")),
    ("pthread_rwlock_trywrlock", Call::Try("write-locks")),
    ("sem_trywait", Call::Try("takes")),
    ("pthread_mutex_unlock", Call::Give("unlocks")),
    ("pthread_spin_unlock", Call::Give("unlocks")),
    ("mtx_unlock", Call::Give("unlocks")),
    ("spin_unlock", Call::Give("unlocks")),
    ("mutex_unlock", Call::Give("unlocks")),
    ("pthread_rwlock_unlock", Call::Give("unlocks")),
    ("sem_post", Call::Give("posts")),
    ("pthread_cond_signal", Call::Give("signals")),
    ("cnd_signal", Call::Give("signals")),
    ("pthread_cond_broadcast", Call::Give("signals all on")),
    ("cnd_broadcast", Call::Give("signals all on")),
    ("pthread_cond_wait", Call::Wait),
    ("cnd_wait", Call::Wait),
    ("pthread_create", Call::Start),
    ("thrd_create", Call::Start),
    ("pthread_join", Call::Join),
    ("thrd_join", Call::Join),
];

/// The first known call in a piece of source.
pub(super) fn call(source: &str) -> Option<Call> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = source;
    loop {
        rest = rest.trim_start_matches(|c| !part(c));
        let end = rest.find(|c| !part(c))?;
        let (word, after) = rest.split_at(end);
        if after.trim_start().starts_with('(')
            && let Some(&(_, call)) = CALLS.iter().find(|(name, _)| *name == word)
        {
            return Some(call);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_by_whole_names() {
        assert_eq!(call("pthread_mutex_lock(&m)"), Some(Call::Take("locks")));
        assert_eq!(call("if (pthread_mutex_trylock (m) == 0)"), Some(Call::Try("locks")));
        assert_eq!(call("r = pthread_join(a, 0);"), Some(Call::Join));
        assert_eq!(call("my_spin_lock(&m)"), None);
        assert_eq!(call("spin_lock"), None);
        assert_eq!(call("x = pthread_create;"), None);
    }
}
