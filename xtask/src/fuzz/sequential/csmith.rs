//! Programs of csmith (Yang, Chen, Eide and Regehr, "Finding and understanding bugs in C compilers", PLDI 2011), with options that
//! keep them small. The program and its header must be installed; `CSMITH_HOME` says where the header is.

use super::{Case, Claim, compile};
use anyhow::{Context, Result, bail};
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

/// How long a compiled program may run. Some of csmith's never end.
const PATIENCE: &str = "2";

/// The end of csmith's `main`.
const END: &str = "platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);";

/// The programs of these numbers that end.
pub(super) fn cases(folder: &Path, numbers: Range<u64>) -> Result<Vec<Case>> {
    let header = header()?;
    let mut cases = Vec::new();
    for number in numbers {
        let file = folder.join(format!("csmith-{number}.c"));
        let mut csmith = Command::new("csmith");
        // It leaves a file about the machine in the current folder.
        csmith
            .current_dir(folder)
            .args(SMALL)
            .args(["--seed", &(number % u64::from(u32::MAX)).to_string(), "-o"])
            .arg(&file);
        if !csmith.status().context("csmith cannot be run")?.success() {
            bail!("csmith fails on seed {number}");
        }
        let Some(sum) = reference(folder, &file, &header)? else { continue };
        let text = std::fs::read_to_string(&file)?;
        if !text.contains(END) {
            bail!("{}: not a program of the csmith that we know", file.display());
        }
        let header = header.clone();
        cases.push(Case {
            name: file.display().to_string(),
            claim: Box::new(move |claim: Claim| {
                let operator = claim.operator();
                let check = format!(
                    "if (!((uint32_t)(crc32_context ^ 0xFFFFFFFFUL) {operator} 0x{sum}u)) \
                     __assert_fail(\"checksum\", __FILE__, __LINE__, \"main\");"
                );
                let declared = "void __assert_fail(const char *, const char *, unsigned, const char *);";
                std::fs::write(&file, format!("{declared}\n{}", text.replace(END, &check)))?;
                Ok(vec![file.clone(), "-I".into(), header.clone()])
            }),
        });
    }
    Ok(cases)
}

/// The checksum that GCC's program prints, if it comes to its end in time.
fn reference(folder: &Path, file: &Path, header: &Path) -> Result<Option<String>> {
    let binary = folder.join("reference");
    compile(file, &binary, &["-I", &header.to_string_lossy()])?;
    let output = Command::new("timeout").arg(PATIENCE).arg(&binary).output().context("`timeout` cannot be run")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    Ok(printed.lines().find_map(|line| line.strip_prefix("checksum = ")).map(str::to_owned))
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
