//! Programs of csmith (Yang, Chen, Eide and Regehr, "Finding and understanding bugs in C compilers", PLDI 2011), with options that
//! keep them small. The program and its header must be installed; `CSMITH_HOME` says where the header is.
//!
//! A compiler spends most of its time on the headers and on linking. So the programs of a batch are one file for it, in which their
//! names have numbers; the program that comes of it runs each in a process of its own, since some never end. They are preprocessed in
//! one go, too.

use super::{Case, Claim, compile};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What keeps programs small: they are executed symbolically.
const SMALL: [&str; 16] = [
    "--max-funcs",
    "3",
    "--max-block-depth",
    "2",
    "--max-block-size",
    "3",
    "--max-expr-complexity",
    "4",
    "--max-array-dim",
    "2",
    "--max-array-len-per-dim",
    "4",
    "--max-struct-fields",
    "4",
    "--no-argc",
    "--quiet",
];

/// How long a compiled program may run, in seconds. Some of csmith's never end.
const PATIENCE: u32 = 1;

/// The line of a program that is replaced by the header.
const HEADER: &str = "#include \"csmith.h\"";

/// The end of csmith's `main`.
const END: &str = "platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);";

/// What stands between programs that are preprocessed together.
const NEXT: &str = "#pragma NEXT";

/// The programs of these numbers that end.
pub(super) fn cases(folder: &Path, numbers: Range<u64>) -> Result<Vec<Case>> {
    let header = header()?;
    let texts: Vec<String> = numbers.clone().map(|number| generate(folder, number)).collect::<Result<_>>()?;
    let sums = reference(folder, &texts, &header)?;
    let preprocessed = preprocess(folder, &texts, &header)?;
    let mut cases = Vec::new();
    for ((number, text), sum) in numbers.zip(preprocessed).zip(sums) {
        let Some(sum) = sum else { continue };
        let file = folder.join(format!("csmith-{number}.i"));
        cases.push(Case {
            name: file.display().to_string(),
            claim: Box::new(move |claim: Claim| {
                let operator = claim.operator();
                let check = format!(
                    "if (!((uint32_t)(crc32_context ^ 0xFFFFFFFFUL) {operator} 0x{sum}u)) \
                     __assert_fail(\"checksum\", \"\", 0, \"main\");"
                );
                std::fs::write(&file, text.replace(END, &check))?;
                Ok(vec![file.clone()])
            }),
        });
    }
    Ok(cases)
}

/// The program of a number.
fn generate(folder: &Path, number: u64) -> Result<String> {
    let mut csmith = Command::new("csmith");
    // It leaves a file about the machine in the current folder.
    csmith.current_dir(folder).args(SMALL).args(["--seed", &(number % u64::from(u32::MAX)).to_string()]);
    let output = csmith.output().context("csmith cannot be run")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() || !text.contains(END) || !text.contains(HEADER) {
        bail!("seed {number}: not a program of the csmith that we know");
    }
    Ok(text)
}

/// The checksums that GCC's programs print, of those that come to their end in time.
fn reference(folder: &Path, texts: &[String], header: &Path) -> Result<Vec<Option<String>>> {
    let mut all = format!("{HEADER}\n#include <sys/wait.h>\n#include <unistd.h>\n");
    for (at, text) in texts.iter().enumerate() {
        all.push_str(&numbered(&text.replace(HEADER, ""), at));
    }
    all.push_str("int main(void)\n{\n");
    for at in 0..texts.len() {
        let _ = writeln!(
            all,
            "    if (!fork()) {{ alarm({PATIENCE}); printf(\"{at} \"); return main_{at}(); }}\n    wait(0);"
        );
    }
    all.push_str("}\n");
    let (file, binary) = (folder.join("reference.c"), folder.join("reference"));
    std::fs::write(&file, all)?;
    compile(&file, &binary, &["-I", &header.to_string_lossy()])?;
    let output = Command::new(&binary).output()?;
    let mut sums = vec![None; texts.len()];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((at, sum)) = line.split_once(" checksum = ") {
            sums[at.parse::<usize>()?] = Some(sum.to_owned());
        }
    }
    Ok(sums)
}

/// A program whose names outside functions have a number, so that several can be one file.
fn numbered(text: &str, number: usize) -> String {
    let mut result = String::new();
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let digits = ["func_", "g_", "S", "U"].iter().find_map(|prefix| name.strip_prefix(prefix));
        let ours = digits.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit()));
        result.push_str(name);
        if ours || name == "main" {
            let _ = write!(result, "_{number}");
        }
        result.push_str(&word[name.len()..]);
    }
    result
}

/// The programs behind the header, all preprocessed.
fn preprocess(folder: &Path, texts: &[String], header: &Path) -> Result<Vec<String>> {
    let mut all = format!("{HEADER}\n");
    for text in texts {
        let _ = writeln!(all, "{NEXT}\n{}", text.replace(HEADER, ""));
    }
    let file = folder.join("all.c");
    std::fs::write(&file, all)?;
    let mut gcc = Command::new("gcc");
    let output = gcc.args(["-E", "-P", "-I"]).arg(header).arg(&file).output().context("gcc cannot be run")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let mut parts = printed.split(NEXT);
    let declared = "void __assert_fail(const char *, const char *, unsigned, const char *);";
    let before = parts.next().unwrap_or_default();
    let programs: Vec<String> = parts.map(|part| format!("{declared}\n{before}\n{part}")).collect();
    if programs.len() != texts.len() {
        bail!("{}: {} of {} programs are left", file.display(), programs.len(), texts.len());
    }
    Ok(programs)
}

/// The folder of `csmith.h`.
fn header() -> Result<PathBuf> {
    let home = std::env::var_os("CSMITH_HOME").map(|home| PathBuf::from(home).join("include"));
    let places = home.into_iter().chain(["/usr/include/csmith", "/usr/include/csmith-2.3.0"].map(PathBuf::from));
    places
        .into_iter()
        .find(|place| place.join("csmith.h").exists())
        .context("there is no csmith.h; install libcsmith-dev or set CSMITH_HOME")
}
