//! Structures and unions are laid out as gcc lays them out.

mod common;

use common::{lower, refused};
use std::fmt::Write;
use std::process::Command;

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}

/// A random definition, and the names of its members that have an address.
fn structure(random: &mut Random, number: usize) -> (String, Vec<String>) {
    let types = [
        ("char", 8),
        ("unsigned char", 8),
        ("short", 16),
        ("int", 32),
        ("unsigned", 32),
        ("long long", 64),
        ("_Bool", 1),
        ("int *", 0),
        ("struct small", 0),
        ("aligned_int", 0),
        ("loose_int", 0),
    ];
    let word = if random.one_in(6) { "union" } else { "struct" };
    let mut text = String::new();
    let pack = if random.one_in(5) { Some([1, 2, 4, 8][random.below(4)]) } else { None };
    if let Some(pack) = pack {
        let _ = writeln!(text, "#pragma pack(push, {pack})");
    }
    let attribute = match random.below(8) {
        0 | 1 => " __attribute__((packed))",
        2 => " __attribute__((aligned(16)))",
        3 => " __attribute__((packed, aligned(4)))",
        _ => "",
    };
    let _ = writeln!(text, "{word} s{number} {{");
    let mut names = Vec::new();
    for at in 0..1 + random.below(7) {
        let (ty, bits) = types[random.below(types.len())];
        let bit_field = bits > 0 && random.one_in(2);
        if bit_field && random.one_in(8) {
            let _ = writeln!(text, "  {ty} : 0;");
        } else if bit_field && random.one_in(8) {
            let _ = writeln!(text, "  {ty} : {};", 1 + random.below(bits));
        } else if bit_field {
            let own = if random.one_in(10) { " __attribute__((packed))" } else { "" };
            let _ = writeln!(text, "  {ty} m{at} : {}{own};", 1 + random.below(bits));
        } else {
            let array = if random.one_in(5) && !ty.contains("_int") { "[3]" } else { "" };
            let own = match random.below(12) {
                0 => " __attribute__((packed))",
                1 => " __attribute__((aligned(8)))",
                2 => " __attribute__((packed, aligned(2)))",
                _ => "",
            };
            let alignas = if random.one_in(15) { "_Alignas(16) " } else { "" };
            let _ = writeln!(text, "  {alignas}{ty} m{at}{array}{own};");
            names.push(format!("m{at}"));
        }
    }
    let _ = writeln!(text, "}}{attribute};");
    if pack.is_some() {
        text.push_str("#pragma pack(pop)\n");
    }
    (text, names)
}

const PRELUDE: &str = "struct small { char c; short s; };\n\
    typedef int aligned_int __attribute__((aligned(16)));\n\
    typedef int loose_int __attribute__((aligned(2)));\n";

/// What gcc says about expressions of these definitions.
fn asked(definitions: &str, questions: &[String]) -> Vec<u64> {
    let folder = std::env::temp_dir().join(format!("front-c-layout-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, binary) = (folder.join("layout.c"), folder.join("layout"));
    let mut text = format!("int printf(const char *, ...);\n{definitions}int main(void) {{\n");
    for question in questions {
        let _ = writeln!(text, "printf(\"%lu\\n\", (unsigned long){question});");
    }
    text.push_str("return 0; }\n");
    std::fs::write(&source, text).expect("a file");
    let status = Command::new("cc").args(["-w", "-std=gnu11"]).arg(&source).arg("-o").arg(&binary).status();
    assert!(status.expect("a C compiler").success());
    let output = Command::new(&binary).output().expect("it runs");
    std::fs::remove_dir_all(&folder).expect("it was there");
    String::from_utf8_lossy(&output.stdout).lines().map(|line| line.parse().expect("a number")).collect()
}

#[test]
fn sizes_and_offsets_are_those_of_gcc() {
    let mut random = Random(0x1a70_u64);
    let (mut definitions, mut questions) = (PRELUDE.to_owned(), Vec::new());
    for number in 0..600 {
        let (text, names) = structure(&mut random, number);
        let name = format!("{} s{number}", if text.contains("union s") { "union" } else { "struct" });
        questions.push(format!("sizeof({name})"));
        questions.push(format!("_Alignof({name})"));
        questions.extend(names.iter().map(|member| format!("__builtin_offsetof({name}, {member})")));
        definitions.push_str(&text);
    }
    let answers = asked(&definitions, &questions);
    assert_eq!(answers.len(), questions.len());
    let mut program = definitions;
    for (question, answer) in questions.iter().zip(&answers) {
        let _ = writeln!(program, "_Static_assert({question} == {answer}, \"{question} is {answer}\");");
    }
    lower(&format!("{program}int main(void) {{ return 0; }}\n"));
}

#[test]
fn a_wrong_size_would_be_noticed() {
    let text = |size: u32| {
        format!(
            "#pragma pack(1)\nstruct s {{ char c; int i; }};\n_Static_assert(sizeof(struct s) == {size}, \"\");\nint main(void) {{ return 0; }}"
        )
    };
    lower(&text(5));
    assert!(refused(&text(8)).contains("does not hold"));
}
