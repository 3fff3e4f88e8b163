//! The programs by which files arrive, each with the options of it that take a value.

use shell::Call;

use super::options::Words;
use super::scene::Scene;
use super::{Arrivals, copying, patching, unpacking, versions};

pub(super) struct Program {
    names: &'static [&'static str],
    /// Letters that take a value.
    pub(super) short: &'static str,
    /// Long names that do, where it is not attached with `=`.
    pub(super) long: &'static [&'static str],
    /// Names after a single dash that do.
    pub(super) single: &'static [&'static str],
    /// The first word may be letters without a dash.
    pub(super) bundles: bool,
    /// What a call of it brings; `None` where it brings nothing, as when it only lists.
    pub(super) read: fn(&Scene<'_>, &Words<'_>) -> Option<Arrivals>,
}

const PLAIN: Program =
    Program { names: &[], short: "", long: &[], single: &[], bundles: false, read: |_, _| None };

static PROGRAMS: &[Program] = &[
    Program {
        names: &["tar", "gtar", "bsdtar"],
        short: "fCTXbIKNFgHLV",
        long: &[
            "file",
            "directory",
            "strip-components",
            "exclude",
            "exclude-from",
            "exclude-ignore",
            "exclude-ignore-recursive",
            "exclude-tag",
            "exclude-tag-all",
            "exclude-tag-under",
            "files-from",
            "include",
            "transform",
            "xform",
            "use-compress-program",
            "to-command",
            "blocking-factor",
            "record-size",
            "format",
            "owner",
            "owner-map",
            "group",
            "group-map",
            "mode",
            "mtime",
            "newer",
            "newer-mtime",
            "after-date",
            "starting-file",
            "suffix",
            "add-file",
            "label",
            "level",
            "listed-incremental",
            "index-file",
            "info-script",
            "new-volume-script",
            "tape-length",
            "volno-file",
            "pax-option",
            "quoting-style",
            "quote-chars",
            "no-quote-chars",
            "rmt-command",
            "rsh-command",
            "set-mtime-command",
            "set-mtime-format",
            "sort",
            "sparse-version",
            "hole-detection",
            "warning",
            "xattrs-include",
            "xattrs-exclude",
            "passphrase",
            "options",
        ],
        bundles: true,
        read: unpacking::tar,
        ..PLAIN
    },
    Program { names: &["unzip"], short: "dPIO", read: unpacking::unzip, ..PLAIN },
    Program { names: &["7z", "7za", "7zz", "7zr"], short: "o", read: unpacking::seven_zip, ..PLAIN },
    Program {
        names: &["cpio", "bsdcpio"],
        short: "DFIOEHRMC",
        long: &["directory", "file", "pattern-file", "format", "owner", "io-size", "block-size", "message"],
        read: unpacking::cpio,
        ..PLAIN
    },
    Program {
        names: &["jar"],
        short: "fCme",
        long: &["file", "dir", "manifest", "main-class"],
        bundles: true,
        read: unpacking::jar,
        ..PLAIN
    },
    Program { names: &["python", "py", "pypy3"], short: "m", read: unpacking::python, ..PLAIN },
    Program {
        names: &["Expand-Archive"],
        single: &["Path", "LiteralPath", "DestinationPath"],
        read: unpacking::expand_archive,
        ..PLAIN
    },
    // Formats that are not read here.
    Program { names: &["unar"], short: "opeEk", read: unpacking::unar, ..PLAIN },
    Program { names: &["unrar", "rar"], read: unpacking::unrar, ..PLAIN },
    Program { names: &["dpkg", "dpkg-deb"], read: unpacking::dpkg, ..PLAIN },
    Program { names: &["ar"], bundles: true, read: unpacking::ar, ..PLAIN },
    Program { names: &["pax"], short: "fsboxpBEGTU", read: unpacking::pax, ..PLAIN },
    Program {
        names: &[
            "gunzip",
            "gzip",
            "pigz",
            "unpigz",
            "bunzip2",
            "bzip2",
            "unxz",
            "xz",
            "unlzma",
            "lzma",
            "uncompress",
        ],
        short: "STMF",
        long: &["suffix", "threads", "format", "memlimit"],
        read: unpacking::single,
        ..PLAIN
    },
    Program {
        names: &["zstd", "unzstd", "lz4", "unlz4", "brotli"],
        short: "oTMSD",
        long: &["output"],
        read: unpacking::single,
        ..PLAIN
    },
    Program { names: &["uudecode"], short: "o", long: &["output-file"], read: unpacking::uudecode, ..PLAIN },
    Program {
        names: &["patch", "gpatch"],
        short: "pidoDrFgVYzBx",
        long: &[
            "strip",
            "input",
            "directory",
            "output",
            "reject-file",
            "fuzz",
            "prefix",
            "suffix",
            "ifdef",
            "get",
        ],
        read: patching::patch,
        ..PLAIN
    },
    Program {
        names: &["cp", "gcp", "mv", "gmv"],
        short: "tS",
        long: &["target-directory", "suffix", "no-preserve", "sparse"],
        read: copying::copy,
        ..PLAIN
    },
    Program { names: &["ditto"], read: copying::ditto, ..PLAIN },
    Program {
        names: &["rsync"],
        short: "efBTM",
        long: &[
            "rsh",
            "filter",
            "exclude",
            "exclude-from",
            "include",
            "include-from",
            "files-from",
            "rsync-path",
            "backup-dir",
            "suffix",
            "chmod",
            "chown",
            "max-size",
            "min-size",
            "compare-dest",
            "copy-dest",
            "link-dest",
            "log-file",
            "password-file",
            "bwlimit",
            "timeout",
            "port",
            "temp-dir",
            "partial-dir",
            "out-format",
            "info",
            "debug",
        ],
        read: copying::rsync,
        ..PLAIN
    },
    Program { names: &["scp"], short: "cFiJloPSDX", read: copying::scp, ..PLAIN },
    Program {
        names: &["docker", "podman", "nerdctl", "kubectl", "oc"],
        short: "nc",
        long: &["namespace", "container", "context", "host"],
        read: copying::from_container,
        ..PLAIN
    },
    Program { names: &["git", "hub"], read: versions::git, ..PLAIN },
];

/// The options of git's own verbs that take a value, for those by which files arrive.
static VERBS: &[Program] = &[
    Program {
        names: &["apply"],
        short: "pC",
        long: &["directory", "include", "exclude", "whitespace", "exclude-from", "build-fake-ancestor"],
        read: patching::git_apply,
        ..PLAIN
    },
    Program {
        names: &["am"],
        short: "pC",
        long: &[
            "directory",
            "include",
            "exclude",
            "whitespace",
            "patch-format",
            "resolvemsg",
            "quoted-cr",
            "empty",
        ],
        read: patching::git_am,
        ..PLAIN
    },
    Program { names: &["stash"], short: "m", long: &["message"], read: versions::stash, ..PLAIN },
    Program {
        names: &["checkout"],
        short: "bB",
        long: &["orphan", "conflict", "pathspec-from-file"],
        read: versions::checkout,
        ..PLAIN
    },
    Program {
        names: &["restore"],
        short: "s",
        long: &["source", "pathspec-from-file", "conflict"],
        read: versions::restore,
        ..PLAIN
    },
    Program {
        names: &["switch"],
        short: "cC",
        long: &["create", "force-create", "orphan", "conflict"],
        read: versions::switch,
        ..PLAIN
    },
    Program {
        names: &["merge"],
        short: "mFsX",
        long: &["message", "file", "strategy", "strategy-option", "into-name", "cleanup"],
        read: versions::merge,
        ..PLAIN
    },
    Program {
        names: &["rebase"],
        short: "sXxC",
        long: &["onto", "strategy", "strategy-option", "exec", "whitespace", "empty"],
        read: versions::rebase,
        ..PLAIN
    },
    Program { names: &["reset"], long: &["pathspec-from-file"], read: versions::reset, ..PLAIN },
    Program {
        names: &["read-tree"],
        long: &["prefix", "index-output", "exclude-per-directory"],
        read: versions::read_tree,
        ..PLAIN
    },
    Program {
        names: &["cherry-pick", "revert"],
        short: "mX",
        long: &["mainline", "strategy", "strategy-option", "cleanup", "empty"],
        read: versions::pick,
        ..PLAIN
    },
];

/// The program of a call, where files may arrive by it. Most calls of some of them are for other things.
pub(super) fn find(call: &Call) -> Option<&'static Program> {
    let name = crate::shell::words::program(call);
    // `python3.12` is one of them, too.
    let name = if name.starts_with("python") { "python" } else { name };
    let program = PROGRAMS.iter().find(|program| program.names.contains(&name))?;
    let may = match name {
        _ if call.keeps_versions() => call.path().get(1).is_some_and(|name| verb(name).is_some()),
        "python" => call.texts().any(|text| text.ends_with("zipfile") || text.ends_with("tarfile")),
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" => call.has("cp"),
        _ => true,
    };
    may.then_some(program)
}

pub(super) fn verb(name: &str) -> Option<&'static Program> {
    VERBS.iter().find(|program| program.names.contains(&name))
}

/// Whether a program, by its name in the tables, is the one that `VERBS` are of.
pub(super) fn is_git(name: &str) -> bool {
    name == "git"
}
