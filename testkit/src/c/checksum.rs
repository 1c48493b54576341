//! What [`sequential`](super::sequential) programs are preceded by: for a compiler, whose program prints the checksum, and for us, who are
//! told something about it.

use std::fmt::Write as _;

/// What a program is preceded by, for a compiler.
const FOR_COMPILERS: &str = "#include <pthread.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
    #define HIDE(x) ((uint64_t)(x))\n\
    #define CHECK(sum) (printf(\"%llu\\n\", (unsigned long long)(sum)), fflush(stdout))\n";

/// The same for us: no preprocessor is needed. A hidden number is one that we are not told.
const FOR_US: &str = "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n\
    typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t;\n\
    typedef unsigned long pthread_t;\n\
    int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\nint pthread_join(pthread_t, void **);\n\
    void *memcpy(void *, const void *, unsigned long);\nvoid *memmove(void *, const void *, unsigned long);\n\
    void *memset(void *, int, unsigned long);\nint memcmp(const void *, const void *, unsigned long);\n\
    unsigned long __VERIFIER_nondet_ulong(void);\nvoid __VERIFIER_assume(int);\n\
    void __assert_fail(const char *, const char *, unsigned, const char *);\n\
    static uint64_t HIDE(uint64_t x) { uint64_t y = __VERIFIER_nondet_ulong(); __VERIFIER_assume(x == y); return y; }\n";

/// One file for a compiler with several programs: it prints their checksums line by line. Most of a compiler's time is for starting and
/// linking.
pub fn for_compilers(texts: &[String]) -> String {
    let mut all = FOR_COMPILERS.to_owned();
    for (at, text) in texts.iter().enumerate() {
        for name in names() {
            let _ = write!(all, "#undef {name}\n#define {name} {name}_{at}\n");
        }
        all.push_str(text);
    }
    all.push_str("#undef main\nint main(void)\n{\n");
    for at in 0..texts.len() {
        let _ = writeln!(all, "    main_{at}();");
    }
    all.push_str("}\n");
    all
}

/// A preprocessed program that claims that its checksum is this one (`==`), or another one (`!=`).
pub fn claim(text: &str, operator: &str, sum: u64) -> String {
    let check = format!("if (!(sum {operator} {sum}u)) __assert_fail(\"sum\", \"\", 0, \"\");");
    format!("{FOR_US}static void CHECK(uint64_t sum) {{ {check} }}\n{text}")
}

/// The names outside functions that programs of the generator have, so that several of them can be one file.
fn names() -> impl Iterator<Item = String> {
    let numbered = ["r", "g", "a", "by_value", "by_pointer"];
    let plain = [
        "sum", "mix", "mixed", "add_one", "twice", "table", "body", "main", "rows", "grid", "link", "links", "color",
        "RED", "GREEN", "BLUE", "GREY", "chosen", "down", "count", "bump",
    ];
    let numbered = numbered.into_iter().flat_map(|name| (0..3).map(move |number| format!("{name}{number}")));
    numbered.chain(plain.map(str::to_owned))
}
