//! `cargo dev link-order`: writes down in which order the linker puts what hooks run, `crates/app/link-order.ld`.
//!
//! A hook runs some two thousand functions out of thirty thousand. Left as the compiler gives them, they lie scattered over the whole
//! executable, and the kernel maps it sixteen pages at a time: mapping them costs more than running them. So an unstripped executable is
//! run over the standing cases under valgrind, and each section in which something ran becomes a line of the linker script: what all
//! cases need first, what only one needs last. Names are written without the compiler's hash, so that the list outlives a change of
//! other code; a name that has gone matches nothing and does no harm. Run it again when `start_up_is_packed` fails, or after large
//! changes to what hooks run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::bail;

/// Write the order in which the linker puts what hooks run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write it here instead
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
}

const WRITTEN: &str = "crates/app/link-order.ld";

/// Of a pattern whose sections are this much larger than what ran in them, more is dead weight than not.
const LOOSE: u64 = 2;

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let work = tempfile::tempdir()?;
    let map = work.path().join("map");
    let program = build(&map)?;
    let map = Map::read(&std::fs::read_to_string(&map)?);
    let mut runs: BTreeMap<usize, usize> = BTreeMap::new();
    let executed = crate::latency::executed(&program)?;
    for names in &executed {
        let sections: BTreeSet<usize> = names.iter().filter_map(|name| map.section_of(name)).collect();
        for section in sections {
            *runs.entry(section).or_default() += 1;
        }
    }
    let (near, loose) = map.patterns(&runs);
    if near.len() < 100 {
        bail!(
            "only {} sections are known to have run: the map or the profile was not understood",
            near.len()
        );
    }
    let to = args.to.clone().unwrap_or_else(|| crate::workspace::root().join(WRITTEN));
    std::fs::write(&to, script(&near, &loose))?;
    println!(
        "wrote {}: {} patterns, {} loose ones, from {} cases",
        to.display(),
        near.len(),
        loose.len(),
        executed.len()
    );
    Ok(())
}

/// The release executable without engines, with its symbols and a map of what the linker put where.
fn build(map: &Path) -> anyhow::Result<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["rustc", "--release", "--no-default-features", "--package", "plimsoll", "--bin", "plimsoll"])
        .args(["--message-format=json-render-diagnostics", "--", "-C", "strip=none", "-C"])
        .arg(format!("link-arg=-Wl,--no-demangle,-Map={}", map.display()))
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        bail!("the release build failed");
    }
    crate::latency::executable(&output.stdout)
}

/// One section of an object file, where the linker put it.
#[derive(Debug)]
struct Section {
    size: u64,
    /// The pattern that finds it again in another build; none for what the linker made itself.
    pattern: Option<Pattern>,
}

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Pattern {
    /// `.text._ZN5shell5parse…17h*E`: a function of Rust has a section of its own.
    Function(String),
    /// `*libc.a:malloc.o`: the C library's have one for each of its files.
    Member(String),
}

#[derive(Debug, Default)]
struct Map {
    sections: Vec<Section>,
    symbols: BTreeMap<String, usize>,
}

impl Map {
    /// Rows of LLD's map: address, load address, size, alignment, then a name, indented by 8 for an input section and by 16 for a symbol.
    fn read(text: &str) -> Self {
        let mut map = Self::default();
        for line in text.lines() {
            let Some((size, name)) = row(line) else { continue };
            let indent = name.len() - name.trim_start().len();
            let name = name.trim_start();
            match indent {
                9 => map.sections.push(Section { size, pattern: pattern(name) }),
                17 => {
                    if let Some(last) = map.sections.len().checked_sub(1) {
                        map.symbols.entry(name.to_owned()).or_insert(last);
                    }
                }
                _ => {}
            }
        }
        map
    }

    fn section_of(&self, symbol: &str) -> Option<usize> {
        self.symbols.get(symbol).copied()
    }

    /// Patterns of the sections that ran, those of most runs first. The second list are patterns that would bring far more than what ran
    /// with them: instances of generic functions, which all have one name. They come last.
    fn patterns<'a>(&'a self, runs: &BTreeMap<usize, usize>) -> (Vec<&'a Pattern>, Vec<&'a Pattern>) {
        let mut all: BTreeMap<&Pattern, u64> = BTreeMap::new();
        for section in &self.sections {
            if let Some(pattern) = &section.pattern {
                *all.entry(pattern).or_default() += section.size;
            }
        }
        let mut ran: BTreeMap<&Pattern, (usize, u64)> = BTreeMap::new();
        for (section, times) in runs {
            let Section { size, pattern: Some(pattern) } = &self.sections[*section] else { continue };
            let entry = ran.entry(pattern).or_default();
            *entry = (entry.0.max(*times), entry.1 + size);
        }
        let mut ordered: Vec<_> = ran.into_iter().collect();
        ordered.sort_by_key(|(pattern, (times, _))| (std::cmp::Reverse(*times), *pattern));
        let is_loose = |pattern: &Pattern, size: u64| {
            matches!(pattern, Pattern::Function(_)) && all[pattern] > LOOSE * size + 2048
        };
        let (loose, near): (Vec<_>, Vec<_>) =
            ordered.into_iter().partition(|(pattern, (_, size))| is_loose(pattern, *size));
        let names =
            |list: Vec<(&'a Pattern, (usize, u64))>| list.into_iter().map(|(pattern, _)| pattern).collect();
        (names(near), names(loose))
    }
}

/// Size and name of a row of the map, the name with what stands before it.
fn row(line: &str) -> Option<(u64, &str)> {
    let mut rest = line;
    let mut size = 0;
    for column in 0..4 {
        rest = rest.trim_start();
        let (word, after) = rest.split_at(rest.find(' ')?);
        let number = u64::from_str_radix(word, if column == 3 { 10 } else { 16 }).ok()?;
        if column == 2 {
            size = number;
        }
        rest = after;
    }
    Some((size, rest))
}

/// `/…/libc.a(malloc.o):(.text)` or `/…/x.rcgu.o:(.text._ZN…)`.
fn pattern(input: &str) -> Option<Pattern> {
    let (file, section) = input.strip_suffix(')')?.rsplit_once(":(")?;
    if !section.starts_with(".text") {
        return None;
    }
    if let Some((archive, member)) = file.strip_suffix(')').and_then(|file| file.rsplit_once('(')) {
        let archive = archive.rsplit('/').next().unwrap_or(archive);
        if matches!(archive, "libc.a" | "libm.a") {
            return Some(Pattern::Member(format!("*{archive}:{member}")));
        }
    }
    let name = section.strip_prefix(".text.")?;
    Some(Pattern::Function(format!(".text.{}", without_hashes(name))))
}

/// Both manglings: `…17h0123456789abcdefE`, and `…Cs1a2B3c4D5e6_…`, where a crate's number stands before its name.
fn without_hashes(name: &str) -> String {
    if let Some(at) = name.len().checked_sub(20).filter(|at| name.is_char_boundary(*at)) {
        let hash = name[at..].strip_prefix("17h").and_then(|hash| hash.strip_suffix('E'));
        if hash.is_some_and(|hash| hash.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            return format!("{}17h*E", &name[..at]);
        }
    }
    let mut text = String::new();
    let mut rest = name;
    while let Some(at) = rest.find("Cs") {
        let (before, after) = rest.split_at(at + 2);
        text.push_str(before);
        let end = after.find('_').unwrap_or(0);
        let is_number =
            (8..=13).contains(&end) && after[..end].bytes().all(|byte| byte.is_ascii_alphanumeric());
        rest = if is_number { &after[end..] } else { after };
        if is_number {
            text.push('*');
        }
    }
    text + rest
}

fn script(near: &[&Pattern], loose: &[&Pattern]) -> String {
    let mut text = "/* Which functions lie side by side: those that hooks run. Written by `cargo dev link-order`; see\n   \
                    docs/internals/decisions/what-hooks-run-lies-together.md. */\n"
        .to_owned();
    text.push_str("SECTIONS {\n  .text.hook : ALIGN(65536) {\n");
    for pattern in near.iter().chain(loose) {
        let _ = match pattern {
            Pattern::Function(section) => writeln!(text, "    *({section})"),
            Pattern::Member(member) => writeln!(text, "    {member}(.text .text.*)"),
        };
    }
    // What a `match` jumps by lies beside its function's name, and every hook walks through the tables of checks.
    text.push_str("  }\n}\nINSERT BEFORE .text;\nSECTIONS {\n  .rodata.hook : ALIGN(65536) {\n");
    text.push_str("    *(.rodata._ZN6checks*4META*)\n    *(.rodata._ZN6checks*5CHECK*)\n");
    for pattern in near {
        if let Pattern::Function(section) = pattern {
            let name = section.trim_start_matches(".text.").trim_start_matches("unlikely.");
            let _ = writeln!(text, "    *(.rodata.{name})");
        }
    }
    text.push_str("  }\n}\nINSERT BEFORE .rodata;\n");
    text
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    /// Nine of ten pages that a call before a tool runs code of lie together. Where they do not, `cargo dev link-order` has to be run again.
    #[test]
    #[cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
    fn start_up_is_packed() {
        let Some(program) = crate::latency::release() else { return };
        let elf = std::fs::read(&program).unwrap();
        let hook = section(&elf, ".text.hook").expect("the release executable has a section .text.hook");
        let pages = crate::latency::pages(&program).unwrap();
        let packed = pages.iter().filter(|page| hook.contains(&(**page << 12))).count();
        let text = section(&elf, ".text").unwrap();
        let scattered = pages.iter().filter(|page| text.contains(&(**page << 12))).count();
        assert!(packed > 100 && packed > 9 * scattered, "{packed} pages together, {scattered} elsewhere");
    }

    /// Where a section of a 64-bit little-endian ELF file lies in memory.
    fn section(elf: &[u8], name: &str) -> Option<Range<u64>> {
        let number = |at: usize, bytes: usize| {
            elf[at..at + bytes].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        let place = |at: usize, bytes: usize| usize::try_from(number(at, bytes)).unwrap();
        let (table, size, count, names) = (place(0x28, 8), place(0x3a, 2), place(0x3c, 2), place(0x3e, 2));
        let names = place(table + names * size + 0x18, 8);
        let header = (0..count).map(|index| table + index * size).find(|header| {
            let from = names + place(*header, 4);
            elf[from..].strip_prefix(name.as_bytes()).is_some_and(|rest| rest[0] == 0)
        })?;
        let from = number(header + 0x10, 8);
        Some(from..from + number(header + 0x20, 8))
    }

    const MAP: &str = "             VMA              LMA     Size Align Out     In      Symbol
          7cda00           7cda00     3000    16 .text
          7cda00           7cda00      100    16         /x/libshell-1.rlib(shell.rcgu.o):(.text._ZN5shell3one17h0123456789abcdefE)
          7cda00           7cda00      100     1                 _ZN5shell3one17h0123456789abcdefE
          7cdb00           7cdb00       40    16         /x/libshell-1.rlib(shell.rcgu.o):(.text._ZN4core4each17h1111111111111111E)
          7cdb00           7cdb00       40     1                 _ZN4core4each17h1111111111111111E
          7cdc00           7cdc00     2000    16         /x/libtoml-1.rlib(toml.rcgu.o):(.text._ZN4core4each17h2222222222222222E)
          7cdc00           7cdc00     2000     1                 _ZN4core4each17h2222222222222222E
          7cfc00           7cfc00       80    16         /usr/lib/libc.a(malloc.o):(.text)
          7cfc00           7cfc00       80     1                 malloc
";

    #[test]
    fn a_map_gives_the_patterns_of_what_ran() {
        let map = Map::read(MAP);
        let names = ["_ZN5shell3one17h0123456789abcdefE", "_ZN4core4each17h1111111111111111E", "malloc"];
        let runs =
            names.iter().zip([1, 2, 2]).map(|(name, times)| (map.section_of(name).unwrap(), times)).collect();
        let (near, loose) = map.patterns(&runs);
        let function = |name: &str| Pattern::Function(name.to_owned());
        assert_eq!(
            near,
            [&Pattern::Member("*libc.a:malloc.o".into()), &function(".text._ZN5shell3one17h*E")]
        );
        assert_eq!(loose, [&function(".text._ZN4core4each17h*E")]);
        let script = script(&near, &loose);
        assert!(
            script.contains("\n    *libc.a:malloc.o(.text .text.*)\n    *(.text._ZN5shell3one17h*E)\n"),
            "{script}"
        );
        assert!(script.contains("\n    *(.rodata._ZN5shell3one17h*E)\n"), "{script}");
    }

    #[test]
    fn a_name_loses_what_changes_with_each_build() {
        assert_eq!(
            without_hashes("_RNvMs5_NtNtCsjrHSEGnQ3l9_3std2io5errorNtB5_5Error4kind"),
            "_RNvMs5_NtNtCs*_3std2io5errorNtB5_5Error4kind"
        );
        assert_eq!(without_hashes("_ZN5shell8Css_look17h0123456789abcdefE"), "_ZN5shell8Css_look17h*E");
        assert_eq!(without_hashes("main"), "main");
    }
}
