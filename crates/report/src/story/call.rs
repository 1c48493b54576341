//! Calls of the thread library that a reader knows by name, recognised by the text of an event's instruction.

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Lock,
    TryLock,
    Unlock,
    Start,
    Join,
}

/// Names of functions and what they are for.
const CALLS: &[(&str, Call)] = &[
    ("pthread_mutex_lock", Call::Lock),
    ("pthread_spin_lock", Call::Lock),
    ("mtx_lock", Call::Lock),
    ("spin_lock", Call::Lock),
    ("mutex_lock", Call::Lock),
    ("pthread_mutex_trylock", Call::TryLock),
    ("pthread_spin_trylock", Call::TryLock),
    ("mtx_trylock", Call::TryLock),
    ("spin_trylock", Call::TryLock),
    ("mutex_trylock", Call::TryLock),
    ("pthread_mutex_unlock", Call::Unlock),
    ("pthread_spin_unlock", Call::Unlock),
    ("mtx_unlock", Call::Unlock),
    ("spin_unlock", Call::Unlock),
    ("mutex_unlock", Call::Unlock),
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
        assert_eq!(call("pthread_mutex_lock(&m)"), Some(Call::Lock));
        assert_eq!(call("if (pthread_mutex_trylock (m) == 0)"), Some(Call::TryLock));
        assert_eq!(call("r = pthread_join(a, 0);"), Some(Call::Join));
        assert_eq!(call("my_spin_lock(&m)"), None);
        assert_eq!(call("spin_lock"), None);
        assert_eq!(call("x = pthread_create;"), None);
    }
}
