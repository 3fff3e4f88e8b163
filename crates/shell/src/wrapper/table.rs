//! Programs that are followed by the command that they start, and tools with a subcommand for it.

/// A wrapper that is followed by its command.
pub(super) struct Plain {
    pub(super) name: &'static str,
    /// Options whose value is the next word.
    pub(super) values: &'static [&'static str],
    /// Words before the command.
    pub(super) operands: usize,
    /// `NAME=value` words may come before the command.
    pub(super) assigns: bool,
}

const fn plain(name: &'static str, values: &'static [&'static str], operands: usize) -> Plain {
    Plain { name, values, operands, assigns: false }
}

const fn assigning(name: &'static str, values: &'static [&'static str]) -> Plain {
    Plain { name, values, operands: 0, assigns: true }
}

/// Sorted by name.
pub(super) static PLAIN: &[Plain] = &[
    plain("arch", &[], 0),
    plain("bunx", &[], 0),
    plain("caffeinate", &["-t", "-w"], 0),
    plain("catchsegv", &[], 0),
    plain("cgexec", &["-g"], 0),
    plain("chroot", &["--userspec", "--groups"], 1),
    plain("chrt", &["-T", "-P", "-D"], 1),
    plain("command", &[], 0),
    plain("dbus-run-session", &[], 0),
    plain("direnv", &[], 2),
    assigning("doas", &["-u", "-C"]),
    assigning("dzdo", &["-u", "-g"]),
    plain("eatmydata", &[], 0),
    plain("entr", &[], 0),
    plain("exec", &["-a"], 0),
    plain("fakeroot", &["-l", "-s", "-i", "-b"], 0),
    plain("faketime", &["-f"], 1),
    plain("firejail", &[], 0),
    plain("gosu", &[], 1),
    plain("i386", &[], 0),
    plain("ionice", &["-c", "-n", "-p", "-P", "-u"], 0),
    plain("linux32", &[], 0),
    plain("linux64", &[], 0),
    plain("ltrace", &["-e", "-o", "-p", "-s", "-u", "-n", "-a", "-l", "-x"], 0),
    plain("nice", &["-n", "--adjustment"], 0),
    plain("nocorrect", &[], 0),
    plain("noglob", &[], 0),
    plain("nohup", &[], 0),
    plain("nsenter", &["-t", "-S", "-G"], 0),
    plain("numactl", &["-C", "-N", "-m", "-p", "-i"], 0),
    plain("pfexec", &[], 0),
    plain("pkexec", &["--user"], 0),
    plain("prlimit", &["-p"], 0),
    plain("proot", &["-r", "-b", "-w"], 0),
    plain("proxychains", &["-f"], 0),
    plain("proxychains4", &["-f"], 0),
    plain("rlwrap", &[], 0),
    assigning(
        "run0",
        &["-u", "-g", "-D", "--user", "--group", "--unit", "--property", "--setenv", "--chdir"],
    ),
    plain("setarch", &[], 1),
    plain("setpriv", &["--reuid", "--regid", "--groups"], 0),
    plain("setsid", &[], 0),
    plain("softlimit", &["-m", "-d"], 0),
    plain("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    plain("strace", &["-e", "-o", "-p", "-s", "-u", "-E", "-P", "-O", "-S", "-a", "-b", "-I", "-X"], 0),
    assigning(
        "sudo",
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-T",
            "-r",
            "-t",
            "-D",
            "-R",
            "-U",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--chroot",
            "--role",
            "--type",
            "--other-user",
        ],
    ),
    plain("systemd-inhibit", &["--what", "--who", "--why", "--mode"], 0),
    assigning(
        "systemd-run",
        &[
            "-p",
            "-u",
            "-E",
            "-M",
            "-H",
            "--unit",
            "--property",
            "--setenv",
            "--description",
            "--slice",
            "--uid",
            "--gid",
        ],
    ),
    plain("taskset", &["-p"], 1),
    assigning("time", &["-f", "-o", "--format", "--output"]),
    plain("timeout", &["-s", "-k", "--signal", "--kill-after"], 1),
    plain("torsocks", &[], 0),
    plain("toybox", &[], 0),
    plain("busybox", &[], 0),
    plain("unbuffer", &[], 0),
    plain("unshare", &["-S", "-G", "--setuid", "--setgid", "--root", "--wd"], 0),
    plain("valgrind", &[], 0),
    plain("xvfb-run", &["-n", "-s", "-w", "-e", "-f"], 0),
    plain("builtin", &[], 0),
];

/// Tools whose subcommand starts a program: `uv run x`, `bundle exec x`.
pub(super) static RUNNERS: &[(&str, &[&str])] = &[
    ("asdf", &["exec"]),
    ("bundle", &["exec"]),
    ("conda", &["run"]),
    ("doppler", &["run"]),
    ("dotenv", &["run"]),
    ("hatch", &["run"]),
    ("mise", &["exec", "x"]),
    ("op", &["run"]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("poetry", &["run"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
];
