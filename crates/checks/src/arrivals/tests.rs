//! Every spelling of the same call brings the same files, and any bytes can be read.

use std::path::Path;

use model::Files as _;
use proptest::prelude::*;

use super::format::{Bytes, list, read_patch};
use super::*;
use crate::cases;

/// A project with an archive in each format, all with the same files, and patches.
fn table(given: &str) -> cases::Table {
    let members = r#"{ "lib/src/a.py" = "x", "lib/.ruff.toml" = "y", "lib/y" = "-> .." }"#;
    let archives =
        ["a.tar", "a.tgz", "a.zip", "a.cpio"].map(|name| format!("\"{name}\" = {members}")).join(", ");
    let patch = "diff --git a/lib/src/a.py b/lib/src/a.py\\n--- a/lib/src/a.py\\n+++ b/lib/src/a.py\\n@@ -1 +1 @@\\n-x\\n+y\\n--- /dev/null\\n+++ b/lib/.ruff.toml\\n@@ -0,0 +1 @@\\n+z\\n";
    let text = format!(
        "[[case]]\ncommand = \"x\"\nexpect = \"none\"\nwhy = \"x\"\ngiven = {{ archives = {{ {archives} }}, files = {{ \"x.patch\" = \"{patch}\", \"tree/lib/src/a.py\" = \"x\", \"tree/lib/.ruff.toml\" = \"y\" }}{given} }}\n"
    );
    cases::parse(&text).unwrap().remove(0).table
}

fn found(command: &str, table: &cases::Table) -> Vec<Arrivals> {
    let event = cases::shell_event(command);
    crate::read(&event, table).map(|reading| read(&reading, table)).unwrap_or_default()
}

/// The files of a command, relative to the project, without those that follow a link.
fn names(command: &str) -> Vec<String> {
    let table = table("");
    let all = found(command, &table);
    let paths = all.iter().flat_map(|found| found.files.iter().map(|file| file.path.as_str()));
    let mut names: Vec<String> = paths
        .map(|path| path.strip_prefix("/home/me/project/").unwrap_or(path).to_owned())
        .filter(|path| !path.ends_with("/y") && path != "y")
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn every_spelling_brings_the_same_files() {
    let whole: &[&str] = &["lib/.ruff.toml", "lib/src/a.py"];
    let rows: &[(&[&str], &[&str])] = &[
        (
            &[
                "tar xf a.tar",
                "tar xf a.t[a]r",
                "tar xzf *.tgz",
                "git am x*.patch",
                "git apply *.patch",
                "unzip '*.zip'",
                "for f in *.tar; do tar xf a.tar; done",
                "gzip -c x.patch > y.gz; cat x.patch | patch -p1",
                "tar -xf a.tar",
                "tar -xfa.tar",
                "tar -x -f a.tar",
                "tar -xzvf a.tgz",
                "tar zxvf a.tgz",
                "tar --extract --file a.tar",
                "tar --extract --file=a.tar",
                "tar --get --direc=. --file=a.tar",
                "tar xf a.tar --newer-mtime 2020-01-01",
                "tar xf a.tar --some-new-option value",
                "tar x < a.tar",
                "tar xz < a.tgz",
                "tar -xf - < a.tar",
                "cat a.tar | tar xf -",
                "cat a.tgz | tar -xz",
                "zcat a.tgz | tar x",
                "gunzip -c a.tgz | tar x",
                "gzip -dc a.tgz | tar xv",
                "cat a.tar | tee copy.tar | tar x",
                "cat a.tar | sh -c 'tar x'",
                "cp a.tar b.tar; tar xf b.tar",
                "bsdtar -xf a.zip",
                "env LC_ALL=C tar xf a.tar",
                "timeout 5 tar xf a.tar",
                "sudo tar xf a.tar",
                "cd sub; tar xf ../a.tar -C ..",
                "tar -C sub -C .. -xf a.tar",
                "tar xfC a.tar sub/..",
                "(cd sub && tar xf ../a.tar -C ..)",
                "unzip a.zip",
                "unzip -qqo a.zip",
                "unzip -o a",
                "unzip a.zip -d .",
                "7z x a.zip",
                "7za x -y a.zip",
                "7zz x a.zip -o.",
                "jar xf a.zip",
                "jar -xvf a.zip",
                "jar --extract --file=a.zip",
                "python3 -m zipfile -e a.zip .",
                "python -m zipfile --extract a.zip .",
                "python3.12 -m tarfile -e a.tgz",
                "cpio -i < a.cpio",
                "cpio -idmv -F a.cpio",
                "cpio --extract --file=a.cpio",
                "cat a.cpio | cpio -id",
                "pax -r -f a.tar",
                "Expand-Archive -Path a.zip -DestinationPath .",
                "git apply x.patch",
                "git apply -p1 x.patch",
                "git apply -p 1 x.patch",
                "git apply < x.patch",
                "git apply - < x.patch",
                "cat x.patch | git apply",
                "cat x.patch | git apply -v -",
                "git -C sub/.. apply x.patch",
                "git am x.patch",
                "git am < x.patch",
                "git am -3 x.patch",
                "patch -p1 < x.patch",
                "patch -p1 -i x.patch",
                "patch -p1 -ix.patch",
                "patch --strip=1 --input=x.patch",
                "patch --strip 1 --input x.patch",
                "patch -Np1 -i x.patch",
                "cat x.patch | patch -p1",
                "cp -r tree/. .",
                "cp -a tree/lib .",
                "cp -Rt . tree/lib",
                "cp --recursive --target-directory=. tree/lib",
                "mv tree/lib .",
                "mv tree/* .",
                "cp -r tree/l* .",
                "cp -r -- tree/lib .",
                "rsync -a tree/ .",
                "rsync -av tree/lib .",
                "rsync -a -e ssh tree/ ./",
                "rsync -a --exclude '*.log' tree/ ./",
            ],
            whole,
        ),
        (
            &[
                "tar xf a.tar --strip-components=1",
                "tar xf a.tar --strip-components 1",
                "tar -x --strip=1 -f a.tar",
                "git apply -p2 x.patch",
                "patch -p2 < x.patch",
                "cp -r tree/lib/. .",
                "rsync -a tree/lib/ .",
            ],
            &[".ruff.toml", "src/a.py"],
        ),
        (
            &[
                "tar xf a.tar -C out",
                "tar -xf a.tar --directory=out",
                "tar --directory out -xf a.tar",
                "tar xfC a.tar out",
                "tar -xCout -f a.tar",
                "tar xf a.tar --one-top-level=out",
                "cd out && tar xf ../a.tar",
                "unzip a.zip -d out",
                "unzip -d out a.zip",
                "unzip -dout a.zip",
                "7z x a.zip -oout",
                "python3 -m zipfile -e a.zip out",
                "cpio -i -D out < a.cpio",
                "cpio -i --directory=out < a.cpio",
                "git apply --directory=out x.patch",
                "git apply --directory out x.patch",
                "cat x.patch | patch -d out -p1",
                "patch -p1 --directory=out < x.patch",
                "rsync -a tree/ out",
                "cp -r tree out",
                "tar xf a.tar -C /tmp/w; cp -r /tmp/w/. out",
            ],
            &["out/lib/.ruff.toml", "out/lib/src/a.py"],
        ),
        (
            &[
                "tar xf a.tar lib/src",
                "tar xf a.tar --exclude=.ruff.toml",
                "tar xf a.tar --exclude '*.toml'",
                "tar -x --exclude=.ruff.toml -f a.tar",
                "unzip a.zip 'lib/src/*'",
                "unzip a.zip -x '*.toml'",
                "git apply --include='lib/src/*' x.patch",
                "git apply --exclude '*.toml' x.patch",
                "cp -r tree/lib/src lib/src",
                "rsync -a --exclude=.ruff.toml tree/ .",
            ],
            &["lib/src/a.py"],
        ),
        (
            &[
                "tar tf a.tar",
                "tar -tvf a.tar",
                "tar xOf a.tar",
                "tar -xf a.tar --to-stdout",
                "tar cf b.tar src",
                "unzip -l a.zip",
                "unzip -p a.zip",
                "7z l a.zip",
                "jar tf a.zip",
                "cpio -it < a.cpio",
                "python3 -m zipfile -l a.zip",
                "git apply --check x.patch",
                "git apply --stat x.patch",
                "git apply --cached x.patch",
                "patch --dry-run -p1 < x.patch",
                "rsync -an tree/ .",
                "rsync -a tree/ host:x",
                "tar xf not-there.tar",
                "cp tree/lib/src/a.py b.py",
                "git stash; git stash list; git stash show -p",
                "git checkout -b new; git switch -c new; git checkout -- src/a.py",
            ],
            &[],
        ),
    ];
    let mut failures = Vec::new();
    for (commands, expected) in rows {
        for command in *commands {
            // Copies that programs make on the way are not archives.
            let mut names = names(command);
            names.retain(|name| !name.starts_with("/tmp/"));
            if names != *expected {
                failures.push(format!("{command}: {names:?} instead of {expected:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn what_is_not_known_is_said() {
    let table = table(r#", unreadable = ["locked.tar"]"#);
    let rest = |command: &str| found(command, &table).pop().map(|found| found.rest);
    let hidden = |below: &str| Some(Some(vec![format!("/home/me/project{below}")]));
    let of = |command: &str| {
        rest(command).map(|rest| match rest {
            Rest::Hidden { below, .. } => Some(below),
            _ => None,
        })
    };
    // What is neither asked about nor approved.
    for unseen in [
        "curl -s https://x.example/a.tgz | tar xz",
        "curl -so b.tar https://x.example/b.tar; tar xf b.tar",
        "git diff > p.patch; git apply p.patch",
        "git format-patch --stdout main | git am",
    ] {
        assert_eq!(rest(unseen), Some(Rest::Unseen), "{unseen}");
    }
    for (command, below) in [
        ("tar xf a.tar --transform s,a,b,", ""),
        ("tar xf host:a.tar -C out", "/out"),
        ("tar xf \"$UNKNOWN_NAME\" -C out", "/out"),
        ("base64 -d x.b64 > b.tgz; tar xf b.tgz", ""),
        ("tar xf tree/lib/src/a.py", ""),
        ("rsync -a host:x/ out", "/out"),
        ("rsync -a host:x out", "/out/x"),
        ("docker cp c:/app/. out", "/out"),
        ("scp -r host:x .", "/x"),
    ] {
        assert_eq!(of(command), hidden(below), "{command}");
    }
    assert_eq!(rest("tar xf a.tar; tar xf a.tgz"), Some(Rest::Nothing));
}

#[test]
fn very_many_archives_are_not_all_read() {
    let table = table("");
    let all = found(&"tar xf a.tar;".repeat(500), &table);
    assert_eq!(all.len(), MOST_CALLS + 1);
    assert!(matches!(all.last().unwrap().rest, Rest::Hidden { .. }));
}

#[test]
fn a_patch_says_what_becomes_of_each_file() {
    let one = |text: &str| {
        let patch = read_patch(text);
        assert!(patch.whole, "{patch:?}");
        patch.files
    };
    let name = |text: &str| Some(format::Name { text: text.into(), bare: false });
    let files =
        one("diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    assert!(files[0].created && files[0].hunks == [(String::new(), "a\nb\n".to_owned())], "{files:?}");
    let files =
        one("Index: s/x\n===\n--- s/x\t(revision 1)\n+++ s/x\t(working copy)\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    assert_eq!((files.len(), &files[0].new), (1, &name("s/x")), "{files:?}");
    assert_eq!(files[0].hunks, [("a\nb\n".to_owned(), "a\nc\n".to_owned())]);
    let files = one("*** a/x\t2020\n--- b/x\t2020\n***************\n*** 1,2 ****\n! a\n--- 1,2 ----\n! b\n");
    assert_eq!((&files[0].old, &files[0].new), (&name("a/x"), &name("b/x")), "{files:?}");
    let files = one("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(files.iter().map(|file| file.new.clone()).collect::<Vec<_>>(), [name("b/x"), name("b/y")]);
    let files = one("diff --git \"a/\\303\\244 b\" \"b/\\303\\244 b\"\nold mode 100644\nnew mode 100755\n");
    assert_eq!(files[0].new, name("b/ä b"));
    let files = one("diff --git a/my file b/my file\nold mode 100644\nnew mode 100755\n");
    assert_eq!(files[0].old, name("a/my file"));
    // A line that looks like a header, in the text of a hunk.
    let files = one("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n --- a/z\n-+++ b/z\n++++ b/w\n");
    assert_eq!(files.len(), 1, "{files:?}");
    for strange in ["", "hello", "@@ -1 +1 @@\n-a\n+b\n", "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n"] {
        assert!(!read_patch(strange).whole, "{strange:?}");
    }
}

fn list_of(bytes: &[u8]) -> Option<format::Listing> {
    let piece = |from: u64, most: usize| {
        let from = usize::try_from(from).ok()?.min(bytes.len());
        Some(bytes[from..from.saturating_add(most).min(bytes.len())].to_vec())
    };
    list(&Bytes { size: bytes.len() as u64, piece: &piece }, &|_| true)
}

fn archive(name: &str) -> Vec<u8> {
    let path = Path::new("/home/me/project").join(name);
    table("").read_piece(&path, 0, usize::MAX).unwrap().unwrap().bytes
}

#[test]
fn a_whole_archive_is_read_to_its_end_and_a_cut_one_is_not() {
    for name in ["a.tar", "a.tgz", "a.zip", "a.cpio"] {
        let whole = archive(name);
        let listing = list_of(&whole).unwrap();
        assert!(listing.whole && listing.members.len() == 3, "{name}: {listing:?}");
        let text = listing.members.iter().find(|member| member.name == "lib/.ruff.toml").unwrap();
        assert_eq!(text.what, model::What::File(Some("y".into())), "{name}");
        // In the middle of the last member.
        let cut = list_of(&whole[..whole.len() / 3]);
        assert!(cut.is_none_or(|listing| !listing.whole), "{name}");
    }
    assert_eq!(list_of(b"\xfd7zXZ\0 and so on"), None);
    // Something before it.
    let behind = [b"#!/bin/sh\n".as_slice(), &archive("a.zip")].concat();
    assert_eq!(list_of(&behind).unwrap().members.len(), 3);
    // A second archive after the end of the first.
    let twice = [archive("a.tar"), archive("a.tar")].concat();
    assert_eq!(list_of(&twice).unwrap().members.len(), 6);
    // Two packed texts in one file.
    let twice = [archive("a.tgz"), archive("a.tgz")].concat();
    assert_eq!(list_of(&twice).unwrap().members.len(), 6);
}

/// Made by tar, zip and others, with long names, links, a second name and holes.
#[test]
fn archives_of_real_programs_are_read() {
    macro_rules! rows {
        ($($name:literal: $($member:literal)*;)*) => {
            [$(($name, include_bytes!(concat!("../../../../fuzz/corpus/archive_names/", $name)).as_slice(), &[$($member),*][..])),*]
        };
    }
    let rows = rows! {
        "tar-gnu": ".claude/settings.json" "lib/src/a.py" "lib/x.toml" "lib/y" "lib/z";
        "tar-pax": ".claude/settings.json" "lib/src/a.py" "lib/x.toml" "lib/y" "lib/z";
        "tar-packed": ".claude/settings.json" "lib/src/a.py" "lib/x.toml" "lib/y" "lib/z";
        "tar-old": ".claude/settings.json" "lib/src/a.py";
        "tar-ustar": ".claude/settings.json" "lib/src/a.py";
        "tar-sparse": "sparse";
        "zip-deflated": ".claude/settings.json" "lib/src/a.py" "lib/x.toml" "lib/y" "lib/z";
        "zip-stored": ".claude/settings.json" "lib/src/a.py" "lib/x.toml" "lib/y" "lib/z";
        "zip-behind-a-script": ".claude/settings.json" "lib/src/a.py" "lib/x.toml" "lib/y" "lib/z";
        "cpio-hexadecimal": "lib/a.toml" "lib/y";
        "cpio-octal": "lib/a.toml" "lib/y";
        "cpio-binary": "lib/a.toml" "lib/y";
    };
    let long = format!("lib/{0}/{0}.txt", "d".repeat(120));
    for (name, bytes, members) in rows {
        let listing = list_of(bytes).unwrap_or_else(|| panic!("{name}"));
        assert!(listing.whole, "{name}");
        let found = |wanted: &str| {
            listing.members.iter().find(|member| member.name == wanted).map(|member| &member.what)
        };
        for member in members {
            assert!(found(member).is_some(), "{name}: {member} is not in {:?}", listing.members);
        }
        if members.len() > 3 {
            assert!(found(&long).is_some(), "{name}: {:?}", listing.members);
            assert_eq!(found("lib/x.toml"), Some(&model::What::File(Some("k=1\n".into()))), "{name}");
        }
        if let Some(link) = found("lib/y") {
            assert_eq!(*link, model::What::Link("../.claude".into()), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..2048)) {
        let _ = list_of(&bytes);
        let _ = read_patch(&String::from_utf8_lossy(&bytes));
    }

    /// Damaged archives keep the reader busy longer than noise does.
    #[test]
    fn damaged_archives_can_be_read(which in 0_usize..4, damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), cut in any::<prop::sample::Index>()) {
        let mut bytes = archive(["a.tar", "a.tgz", "a.zip", "a.cpio"][which]);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = list_of(&bytes);
        bytes.truncate(cut.index(bytes.len()) + 1);
        let _ = list_of(&bytes);
    }

    #[test]
    fn any_lines_of_patches_can_be_read(lines in prop::collection::vec("(diff --git |--- |\\+\\+\\+ |\\*\\*\\* |Index: |rename to |@@ -|[ +-])[ -~]{0,20}", 0..40)) {
        let _ = read_patch(&lines.join("\n"));
    }

    /// Any words after the programs.
    #[test]
    fn any_words_can_be_given(program in "(tar|unzip|7z|cpio|jar|patch|cp|mv|rsync|git apply|git stash|git checkout|git restore|gunzip|uudecode)", words in prop::collection::vec("[-a-zA-Z./=:{}@^~*0-9]{1,8}", 0..6)) {
        let _ = found(&format!("{program} {}", words.join(" ")), &table(""));
    }
}
