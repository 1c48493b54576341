//! Which machines break a flag protocol, and how: `cargo run -p fencepost --example store_buffering`.
#![allow(clippy::print_stdout, reason = "an example shows what comes out")]

use fencepost::{Error, Source};

const PROGRAM: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag[2];
int inside;

static void *enter(void *arg)
{
    long me = (long)arg;
    atomic_store_explicit(&flag[me], 1, memory_order_relaxed);
#ifdef FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    if (!atomic_load_explicit(&flag[1 - me], memory_order_relaxed)) {
        inside++;
        assert(inside == 1);
        inside--;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enter, (void *)0L);
    pthread_create(&b, 0, enter, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

fn main() -> Result<(), Error> {
    let plain = Source::new("flags.c", PROGRAM);
    let fenced = plain.clone().define("FENCE");
    for model in ["sc", "tso", "aarch64"] {
        let (without, with) = (fencepost::check(&plain, model)?, fencepost::check(&fenced, model)?);
        println!("{model:<8} without a fence {:<8} with one {}", without.line(), with.line());
    }
    println!("\n{}", fencepost::check(&plain, "tso")?);
    Ok(())
}
