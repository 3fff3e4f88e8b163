//! The tables: every spelling of an option is the same option, and what words are for follows from them.

use model::deed::{Certainty, Object};

use super::decode::decode;
use super::decoded::Decoded;
use super::{Opt, PROGRAMS, Program, Role, Takes};
use crate::reading::{Arg, World};

mod git;

struct Nowhere;

impl World for Nowhere {
    fn home(&self) -> Option<String> {
        Some("/home/me".into())
    }
    fn cwd(&self) -> String {
        "/home/me/project".into()
    }
    fn read(&self, _: &str) -> Option<String> {
        None
    }
    fn var(&self, _: &str) -> Option<String> {
        None
    }
    fn is_directory(&self, path: &str) -> bool {
        path.ends_with("/dir")
    }
}

/// What a command does, a line for each deed.
fn deeds(command: &str) -> Vec<String> {
    let reading = crate::read(command, &Nowhere);
    assert!(reading.doubts.is_empty(), "{command}: {:?}", reading.doubts);
    let deeds = reading.calls.iter().flat_map(|call| &call.deeds);
    deeds
        .map(|deed| {
            let tree = matches!(deed.object, Object::Path { tree: true, .. });
            let unsure = if deed.certainty == Certainty::Unseen { " unseen" } else { "" };
            format!("{} {}{}{unsure}", deed.verb, deed.object.text(), if tree { "/**" } else { "" })
        })
        .collect()
}

#[track_caller]
fn does(command: &str, expected: &[&str]) {
    assert_eq!(deeds(command), expected, "{command}");
}

#[test]
fn where_copies_and_moves_land() {
    does("cp a b", &["reads a", "writes b"]);
    does("cp a dir", &["reads a", "writes dir/a"]);
    does("cp -rt dir a b", &["reads a/**", "reads b/**", "writes dir/a", "writes dir/b"]);
    does("cp a b --target-dir=/x", &["reads a", "reads b", "writes /x/a", "writes /x/b"]);
    does("mv -t /tmp .ruff.toml", &["moves .ruff.toml/**", "writes /tmp/.ruff.toml"]);
    does("mv x /dev/null", &["deletes x/**", "writes /dev/null"]);
    does("ln -sf a b", &["links a", "writes b"]);
    does("install -D -m 644 a b/", &["reads a", "writes b/a"]);
}

#[test]
fn what_goes_away() {
    does("rm -r -- -x a", &["deletes -x/**", "deletes a/**"]);
    does("rm a --rec", &["deletes a/**"]);
    does("rm -rf ~ -- --help", &["deletes /home/me/**", "deletes --help/**"]);
    does("rm --help -rf x", &[]);
    does("tar -cf x.tar --remove-files y", &["reads y/**", "deletes y/**"]);
    does("gzip -k a", &["reads a"]);
    does("zip -rm a.zip src", &["writes a.zip", "reads src/**", "deletes src/**"]);
}

#[test]
fn what_is_written() {
    does("sort -ro FILE in", &["writes FILE", "reads in"]);
    does("sed -i s/a/b/ f g", &["edits f", "edits g"]);
    does("sed --in-pl -e s/a/b/ f", &["edits f"]);
    does("tar -xC/ -f a.tgz etc/passwd", &["writes /etc/passwd"]);
    does("tar xfC a.tgz dir m", &["writes dir/m"]);
    does("dd if=a of=/dev/sda bs=1M", &["reads a", "writes /dev/sda"]);
    does("tee -a x <y", &["appends to x", "reads y"]);
    does("truncate -s0 x", &["empties x"]);
    // The letters behind the digits are options, too.
    does("perl -0pi -e s/a/b/ x", &["edits x"]);
    does("perl -0777pi.bak -e s/a/b/ x", &["edits x"]);
    does("perl -0x0Api -e s/a/b/ x", &["edits x"]);
    does("ruby -0pi -e s x", &["edits x"]);
    does("shuf in -o /etc/passwd", &["writes /etc/passwd", "reads in"]);
}

#[test]
fn a_name_before_a_value() {
    does("jq -n --rawfile k secret .", &["reads secret"]);
    does("jq --arg v x .a=$v f", &["reads f"]);
}

#[test]
fn what_nobody_knows() {
    does("frobnicate ~/.ssh/id_rsa", &["uses /home/me/.ssh/id_rsa/** unseen"]);
    does("cat --frob=x a", &["uses x/** unseen", "reads a"]);
}

/// Words of a call that has an option in some spelling, before or after an operand.
fn spelled(program: &'static Program, path: &[&'static str], words: &[String], behind: bool) -> Decoded {
    let _ = program;
    let mut texts: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
    let operand = "operand".to_owned();
    if behind {
        texts.push(operand);
        texts.extend_from_slice(words);
    } else {
        texts.extend_from_slice(words);
        texts.push(operand);
    }
    let argv: Vec<Arg> = texts.into_iter().map(Arg::new).collect();
    decode(&argv, &[])
}

/// All ways to write an option, with the value `v`.
fn spellings(option: &Opt, program: &Program) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for name in option.names {
        // A word after one dash, among letters.
        if name.starts_with('-') {
            let value = (option.takes == Takes::Value).then(|| "v".to_owned());
            if option.takes != Takes::Attached {
                all.push(std::iter::once((*name).to_owned()).chain(value).collect());
            }
            continue;
        }
        let foreign = program.style.cmdlet || program.style.slash;
        if foreign {
            let mark = if program.style.slash { '/' } else { '-' };
            all.extend([(*name).to_owned(), name.to_uppercase()].map(|name| match option.takes {
                Takes::Nothing => vec![format!("{mark}{name}")],
                Takes::Attached | Takes::Digits => vec![format!("{mark}{name}:v")],
                Takes::Value | Takes::Second => vec![format!("{mark}{name}"), "v".into()],
            }));
            continue;
        }
        let letter = name.chars().count() == 1 && !program.style.single;
        let dashed = match name {
            _ if letter || program.style.single => format!("-{name}"),
            name if name.starts_with('-') => (*name).to_owned(),
            name => format!("--{name}"),
        };
        match option.takes {
            _ if program.style.keys => all.push(vec![format!("{name}=v")]),
            Takes::Nothing => all.push(vec![dashed.clone()]),
            Takes::Value if option.role == Role::Exec => {
                all.push(vec![dashed.clone(), "v".into(), ";".into()]);
            }
            Takes::Value if letter => {
                if program.style.cobra {
                    all.push(vec![format!("{dashed}=v")]);
                }
                all.push(vec![format!("{dashed}v")]);
                all.push(vec![dashed.clone(), "v".into()]);
            }
            Takes::Value => {
                all.push(vec![format!("{dashed}=v")]);
                all.push(vec![dashed.clone(), "v".into()]);
            }
            Takes::Digits => all.push(vec![format!("{dashed}07")]),
            Takes::Second => all.push(vec![dashed.clone(), "name".into(), "v".into()]),
            Takes::Attached if letter => all.push(vec![format!("{dashed}v")]),
            Takes::Attached => all.push(vec![format!("{dashed}=v")]),
        }
        if letter && !matches!(option.takes, Takes::Attached | Takes::Digits) {
            // In a cluster, behind a flag without a value.
            let flag = program.options.iter().find(|other| {
                other.takes == Takes::Nothing && !other.rehearses && other.names.iter().any(|n| n.len() == 1)
            });
            let flag = flag.and_then(|other| other.names.iter().find(|n| n.len() == 1));
            if let Some(flag) = flag.filter(|flag| flag.bytes().all(|b| !b.is_ascii_digit())) {
                let cluster = format!("-{flag}{name}");
                // Another option has this for its name.
                if program.options.iter().any(|other| other.names.contains(&cluster.as_str())) {
                    continue;
                }
                let mut words = vec![cluster];
                if option.takes == Takes::Value {
                    words.push("v".into());
                }
                all.push(words);
            }
        }
        let words = program.style.single || program.style.exact || program.style.cobra || program.style.keys;
        if !letter && !name.starts_with('-') && !words {
            // By its shortest beginning that is no other's.
            let long = |known: &&&str| known.len() > 1 && !known.starts_with('-');
            let beginning = (2..name.len()).map(|end| &name[..end]).find(|beginning| {
                program.options.iter().all(|other| {
                    std::ptr::eq(other, option)
                        || !other.names.iter().filter(long).any(|known| known.starts_with(beginning))
                })
            });
            if let Some(beginning) = beginning {
                let value = if option.takes == Takes::Nothing { "" } else { "=v" };
                all.push(vec![format!("--{beginning}{value}")]);
            }
        }
    }
    all
}

fn check(program: &'static Program, path: &[&'static str]) {
    for option in program.options {
        for words in spellings(option, program) {
            for behind in [false, true] {
                // Where an operand ends the options, what is behind it is another one.
                let runs = program.operands.unwrap_or_default().iter().any(|o| o.role.takes_rest());
                if behind && (program.style.posix || runs || program.style.bundle || !program.subs.is_empty())
                {
                    continue;
                }
                let made = spelled(program, path, &words, behind);
                let chosen = made.options.iter().find(|c| c.option.is_some_and(|o| std::ptr::eq(o, option)));
                let Some(chosen) = chosen else {
                    panic!("{path:?} {words:?}: not read as {:?}", option.names)
                };
                if option.takes != Takes::Nothing && option.role != Role::Exec {
                    assert!(chosen.value.is_some(), "{path:?} {words:?}: no value");
                }
                let stray = made.options.iter().find(|c| c.option.is_none());
                assert!(stray.is_none(), "{path:?} {words:?}: an option that nobody knows");
            }
        }
    }
    for sub in program.subs.iter().filter(|sub| sub.same.is_empty() && !sub.name().contains('*')) {
        let path: Vec<_> = path.iter().copied().chain([sub.name()]).collect();
        check(sub, &path);
    }
}

#[test]
fn every_spelling_is_the_same_option() {
    for program in PROGRAMS.iter().filter(|program| program.same.is_empty()) {
        check(program, &[program.name()]);
    }
}
