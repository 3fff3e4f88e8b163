//! What stays after the session: `shell/persistence`.

use model::{Event, Facts, Findings, Meta};
use shell::{Call, Direction};

use super::words::{has_flag, only_looks, operands, program, subcommands, value};
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/persistence",
    "a command that makes something run again later",
    "\
Start-up files of shells and tools, cron tables, services, login items, hooks of git, authorized keys, modules of the kernel, the
places that packages come from, and programs in the folders of `PATH` outlive the session. A write to them that fetches or
decodes code or points to a temporary place, an emptied cron table, and another program in the place of `sudo` or `ssh` are
refused; any other write to them is a question to the person. Reading them passes.
",
    include_str!("persistence.toml"),
);

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        for call in reading.calls.iter().filter(|call| !call.elsewhere) {
            let Some((what, foul)) = stays(call, cx.facts) else { continue };
            let why = "It would still run when this session is over.";
            let instead = "Tell the person what to add, and where.";
            if foul {
                out.deny(META.id, what, why).instead = Some(instead.into());
                return;
            }
            out.ask(META.id, what, why).instead = Some(instead.into());
        }
    }
}

fn stays(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let program = program(call);
    if only_looks(call) {
        return None;
    }
    for path in written(call) {
        let absolute = shell::path::absolute(&path, &call.cwd);
        let content: String = call.texts().chain(call.stdin.as_deref()).collect::<Vec<_>>().join(" ");
        let fetched =
            content.contains([shell::text::NET, shell::text::DECODED]) || matches!(program, "curl" | "wget");
        let foul = fetched
            || [
                "curl ",
                "wget ",
                "/dev/tcp/",
                "base64 -d",
                "nc -e",
                "| sh",
                "| bash",
                "|sh",
                "|bash",
                "alias sudo=",
                "alias su=",
                "alias ssh=",
                "sh /tmp/",
                ". /tmp/",
                "source /tmp/",
                "NOPASSWD",
                "LD_PRELOAD",
                ":0:0:",
                "PermitRootLogin yes",
                "PermitEmptyPasswords yes",
                "core_pattern=|",
                "os.system(",
                "import os;",
            ]
            .iter()
            .any(|word| content.contains(word))
            || is_startup(&absolute, facts) && runs_temporary(&content, facts);
        if let Some(what) = replaced(&absolute, &content, facts) {
            return Some((what, true));
        }
        if is_startup(&absolute, facts) {
            let always = STARTED.iter().any(|place| absolute.contains(place))
                || absolute.ends_with("authorized_keys") && !content.is_empty() && program != "cp";
            return Some((format!("This would write to {}.", shell::text::show(&path)), foul || always));
        }
        // A hook of the repository, that fetches code or not; what every Python starts with; a new root.
        let hook = absolute.contains("/.git/hooks/") && !absolute.ends_with(".sample");
        let python = is_python_startup(&absolute)
            && !shell::path::is_below(&absolute, &facts.project().to_string_lossy())
            || absolute.ends_with(".pth") && content.contains("import ");
        if hook || python || foul && absolute == "/etc/passwd" {
            let foul = foul || python || runs_temporary(&content, facts);
            return Some((format!("This would write to {}.", shell::text::show(&path)), foul));
        }
    }
    let words = subcommands(call, &[]);
    match program {
        "crontab" => {
            if call.has("-l") {
                return None;
            }
            Some((
                if call.has("-r") {
                    "This would remove every cron job.".into()
                } else {
                    "This would replace the cron table.".into()
                },
                true,
            ))
        }
        "systemctl" => {
            let enables = words.iter().any(|w| matches!(*w, "enable" | "link" | "reenable"));
            let path = call.texts().any(|t| t.starts_with('/') || t.starts_with("./") || t.starts_with('~'));
            let masks = words.iter().any(|w| matches!(*w, "mask" | "disable" | "edit" | "set-default"));
            (enables || masks).then(|| {
                (format!("`{}` changes what starts with the machine.", call.line()), enables && path)
            })
        }
        "git" => {
            let hooks = call.has("config")
                && words.iter().any(|w| w.eq_ignore_ascii_case("core.hookspath"))
                && !call.has("--unset")
                && !call.has("--get");
            // Settings that git runs: with a program from a place that anybody can write, or one that fetches.
            let runs = call.has("config")
                && !call.has("--unset")
                && !call.has("--get")
                && call.texts().any(|t| {
                    let key = t.to_ascii_lowercase();
                    matches!(
                        key.as_str(),
                        "core.fsmonitor"
                            | "core.sshcommand"
                            | "core.editor"
                            | "core.pager"
                            | "core.askpass"
                            | "credential.helper"
                            | "diff.external"
                            | "sequence.editor"
                            | "gpg.program"
                    ) || key.starts_with("filter.")
                })
                && call.texts().any(|t| {
                    t.contains("/tmp/")
                        || t.contains("curl ")
                        || t.contains("wget ")
                        || t.contains("/dev/tcp/")
                });
            if runs {
                return Some(("This would make git run a foreign program.".into(), true));
            }
            if let Some(found) = git_setting(call, facts) {
                return Some(found);
            }
            let everywhere =
                call.has("--global") || call.has("--system") || words.iter().any(|w| w.starts_with("/tmp/"));
            (hooks && everywhere).then(|| ("This would give every repository other hooks.".into(), true))
        }
        "systemd-run" => call
            .texts()
            .any(|t| t.starts_with("--on-"))
            .then(|| ("This would run something again later.".into(), true)),
        "launchctl" => words
            .iter()
            .any(|w| matches!(*w, "load" | "bootstrap" | "submit" | "enable"))
            .then(|| ("This would start something at every login.".into(), true)),
        "schtasks" | "sc" => words
            .iter()
            .any(|w| w.eq_ignore_ascii_case("/create") || w.eq_ignore_ascii_case("create"))
            .then(|| ("This would make a scheduled task.".into(), true)),
        "Register-ScheduledTask" | "New-Service" => Some(("This would make a scheduled task.".into(), true)),
        "reg" => (words.first().is_some_and(|w| w.eq_ignore_ascii_case("add"))
            && call.texts().any(|t| t.to_ascii_lowercase().contains("\\currentversion\\run")))
        .then(|| ("This would start something at every login.".into(), true)),
        "update-rc.d" | "chkconfig" | "rc-update" => {
            Some(("This changes what starts with the machine.".into(), false))
        }
        "at" | "batch" => {
            // What is waiting, what it will do, and taking it back.
            let asks = has_flag(call, "lcrdV", &[]) || program == "at" && call.args().is_empty();
            let file = value(call, &["-f"]).unwrap_or_default();
            let job = call.stdin.as_deref().unwrap_or_default();
            (!asks).then(|| {
                (
                    "This would run something later.".into(),
                    runs_temporary(file, facts) || runs_temporary(job, facts),
                )
            })
        }
        "osascript" => call
            .texts()
            .any(|t| t.contains("login item") && t.contains("make"))
            .then(|| ("This would start something at every login.".into(), true)),
        // A file of its own, with what it is told, wherever it may write.
        "redis-cli" | "valkey-cli" => (words.first().is_some_and(|w| w.eq_ignore_ascii_case("config"))
            && words.get(1).is_some_and(|w| w.eq_ignore_ascii_case("set"))
            && words.get(2).is_some_and(|w| matches!(w.to_ascii_lowercase().as_str(), "dir" | "dbfilename")))
        .then(|| {
            let place = words.get(3).copied().unwrap_or_default();
            let foul =
                [".ssh", "cron", "/etc", "/root", "authorized_keys"].iter().any(|part| place.contains(part));
            ("This would make the database write its file somewhere else.".into(), foul)
        }),
        "insmod" => Some((
            "This would put code into the kernel.".into(),
            call.texts().any(|t| runs_temporary(t, facts)),
        )),
        "sysctl" => call
            .texts()
            .any(|t| t.replace(' ', "").contains("core_pattern=|") || t.starts_with("kernel.modprobe="))
            .then(|| ("This would make the kernel run a program.".into(), true)),
        // To one's own account it is how one begins.
        "ssh-copy-id" => words
            .last()
            .is_some_and(|host| host.starts_with("root@"))
            .then(|| ("This would let a key in as root on another machine.".into(), false)),
        "loginctl" => words
            .contains(&"enable-linger")
            .then(|| ("This would go on after everybody has logged out.".into(), false)),
        "pm2" => (words.first() == Some(&"startup"))
            .then(|| ("This changes what starts with the machine.".into(), false)),
        "update-alternatives" | "alternatives" => (call.has("--install") || call.has("--set"))
            .then(|| call.texts().any(|t| runs_temporary(t, facts)))
            .filter(|foul| *foul)
            .map(|foul| ("This would put another program in the place of one of the system.".into(), foul)),
        _ => sources(call, &words, facts),
    }
}

/// Where packages come from, and what runs their scripts.
fn sources(call: &Call, words: &[&str], facts: &dyn Facts) -> Option<(String, bool)> {
    // The ones that everybody has.
    let usual = |text: &str| {
        let host = text.strip_prefix("https://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        ["golang.org", "npmjs.org", "pypi.org", "yarnpkg.com"].iter().any(|domain| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    };
    let key = |names: &[&str]| {
        words.iter().any(|w| names.iter().any(|name| w.split('=').next().is_some_and(|w| w.ends_with(name))))
    };
    let sets = match (call.program(), words.first().copied().unwrap_or_default()) {
        ("npm" | "pnpm" | "yarn" | "bun", "config" | "set") => {
            words.contains(&"set")
                && key(&[
                    "registry",
                    "script-shell",
                    "npmRegistryServer",
                    "node-options",
                    "git",
                    "proxy",
                    "https-proxy",
                    "strict-ssl",
                ])
        }
        ("pip" | "pip3", "config") => {
            words.contains(&"set")
                && key(&["index-url", "extra-index-url", "trusted-host", "find-links", "proxy", "cert"])
        }
        ("poetry", "config") => words.iter().any(|w| w.starts_with("repositories.")),
        ("go", "env") => {
            call.has("-w")
                && key(&[
                    "GOPROXY",
                    "GOFLAGS",
                    "GONOSUMDB",
                    "GONOSUMCHECK",
                    "GOSUMDB",
                    "CC",
                    "CXX",
                    "GOTOOLCHAIN",
                ])
        }
        ("gem", "sources") => call.texts().any(|t| matches!(t, "-a" | "--add")),
        ("bundle", "config") => words.iter().any(|w| w.starts_with("mirror.")),
        ("composer", "config") => words.iter().any(|w| w.starts_with("repositories.")),
        _ => false,
    };
    (sets && !call.texts().any(|t| usual(t) || t.split_once('=').is_some_and(|(_, value)| usual(value))))
        .then(|| {
            (
                format!("`{}` changes where code comes from, for good.", call.line()),
                call.texts().any(|t| runs_temporary(t, facts)),
            )
        })
}

/// Settings of git that hold for every repository, or that send its traffic elsewhere.
fn git_setting(call: &Call, facts: &dyn Facts) -> Option<(String, bool)> {
    let git = super::words::git(call).filter(|git| git.verb == "config")?;
    let words = git.operands(&["-f", "--file"]);
    let reads =
        ["--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "--list", "-l", "--remove-section"]
            .iter()
            .any(|word| git.has(word))
            || words.first().is_some_and(|arg| matches!(arg.text.as_str(), "get" | "list" | "unset"));
    let at = words.iter().position(|arg| arg.text.contains('.'))?;
    let value = words.get(at + 1).map(|arg| arg.text.as_str()).filter(|_| !reads)?;
    let everywhere = git.has("--global") || git.has("--system");
    let key = words[at].text.to_ascii_lowercase();
    let steers = key.starts_with("url.") && key.ends_with("insteadof")
        || matches!(key.as_str(), "init.templatedir" | "include.path" | "http.proxy" | "https.proxy")
        || key.starts_with("includeif.")
        || key == "http.sslverify" && value == "false";
    (steers && everywhere)
        .then(|| (format!("This would set {key} for every repository."), runs_temporary(value, facts)))
}

/// Text that names something in a temporary place, other than the place itself. A home or a project may lie in one, too.
fn runs_temporary(text: &str, facts: &dyn Facts) -> bool {
    let home = facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let project = facts.project().to_string_lossy();
    let mut plain = text.to_owned();
    for own in [project.as_ref(), home.as_str()].into_iter().filter(|own| own.len() > 1) {
        plain = plain.replace(own, "~");
    }
    let text = plain.as_str();
    // `TMPDIR=/tmp/me` only says where that is.
    let named = |at: usize| {
        ["TMPDIR=", "TMP=", "TEMP=", "TMPDIR=\"", "cd ", "mkdir -p "]
            .iter()
            .any(|name| text[..at].ends_with(name))
    };
    ["/tmp/", "/tmp:", "/dev/shm/", "/var/tmp/"]
        .iter()
        .any(|place| text.match_indices(place).any(|(at, _)| !named(at)))
}

/// Programs that everything else is done through. Another in their place sees every password and every command.
const SHADOWED: &[&str] = &[
    "bash",
    "cat",
    "cp",
    "curl",
    "doas",
    "git",
    "gpg",
    "grep",
    "id",
    "kill",
    "login",
    "ls",
    "mount",
    "mv",
    "openssl",
    "passwd",
    "ps",
    "rm",
    "scp",
    "sh",
    "ssh",
    "sshd",
    "su",
    "sudo",
    "systemctl",
    "wget",
    "which",
    "zsh",
];

/// A program in the place of another, in a folder that programs are looked for in.
fn replaced(path: &str, content: &str, facts: &dyn Facts) -> Option<String> {
    let name = shell::path::name(path);
    let folder = path[..path.len() - name.len()].trim_end_matches('/');
    let home = facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let own = folder.strip_prefix(home.as_str()).filter(|_| !home.is_empty());
    let programs = matches!(
        folder,
        "/bin"
            | "/sbin"
            | "/usr/bin"
            | "/usr/sbin"
            | "/usr/local/bin"
            | "/usr/local/sbin"
            | "/opt/homebrew/bin"
    ) || matches!(own, Some("/bin" | "/.local/bin" | "/.cargo/bin"));
    // A tool that was just downloaded is installed from a temporary place too; under its own name, that is.
    let known = SHADOWED.contains(&name)
        || matches!(name, "node" | "npm" | "python" | "python3" | "docker" | "kubectl" | "make" | "cargo")
            && runs_temporary(content, facts)
            && !content.contains(&format!("/{name} "));
    (programs && known).then(|| format!("This would put another program in the place of {name}."))
}

/// What every Python runs before anything else.
fn is_python_startup(path: &str) -> bool {
    matches!(shell::path::name(path), "usercustomize.py" | "sitecustomize.py")
}

/// Places where whatever lies there is started by itself.
const STARTED: &[&str] = &[
    "cron",
    "/etc/systemd/",
    "/etc/init.d/",
    "/etc/rc",
    "/etc/ld.so.preload",
    "/etc/profile.d/",
    "/etc/pam.d/",
    "/lib/systemd/",
    "/.config/systemd/",
    "/.config/autostart/",
    "/.local/share/systemd/",
    "/Library/LaunchAgents/",
    "/Library/LaunchDaemons/",
    "/etc/xdg/autostart/",
    "/etc/udev/",
    "/lib/udev/",
    "/etc/modules",
    "/etc/update-motd.d/",
    "/etc/NetworkManager/dispatcher.d/",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/security/pam_",
];

/// Files that a call writes.
pub(super) fn written(call: &Call) -> Vec<String> {
    let mut paths: Vec<String> = call
        .redirects
        .iter()
        .filter(|r| matches!(r.direction, Direction::Write | Direction::Append | Direction::ReadWrite))
        .map(|r| r.target.text.clone())
        .collect();
    let last =
        |values: &[&str]| operands(call.args(), values).into_iter().next_back().map(|a| a.text.clone());
    match call.program() {
        "tee" | "sponge" => paths.extend(operands(call.args(), &[]).into_iter().map(|a| a.text.clone())),
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => {
            let target = value(call, &["-t", "--target-directory"])
                .map(str::to_owned)
                .or_else(|| last(&["-m", "-o", "-g", "-S", "-e"]));
            if let Some(target) = target {
                // Into a directory, under its own name.
                let sources = operands(call.args(), &["-m", "-o", "-g", "-S", "-e", "-t"]);
                if target.ends_with('/') || target == "." || target == ".." {
                    for source in sources.iter().take(sources.len().saturating_sub(1)) {
                        paths.push(format!(
                            "{}/{}",
                            target.trim_end_matches('/'),
                            shell::path::name(&source.text)
                        ));
                    }
                }
                paths.push(target);
            }
        }
        "sort" => paths.extend(value(call, &["-o", "--output"]).map(str::to_owned)),
        "dd" => paths.extend(call.texts().find_map(|t| t.strip_prefix("of=")).map(str::to_owned)),
        "curl" => paths.extend(value(call, &["-o", "--output"]).map(str::to_owned)),
        "wget" => paths.extend(value(call, &["-O", "--output-document"]).map(str::to_owned)),
        "sed" | "gsed" if edits_in_place(call) => {
            let words = operands(call.args(), &["-e", "-f", "--expression", "--file"]);
            let scripted = call.texts().any(|t| {
                matches!(t, "-e" | "-f") || t.starts_with("--expression") || t.starts_with("--file")
            });
            paths.extend(words.into_iter().skip(usize::from(!scripted)).map(|a| a.text.clone()));
        }
        "perl" | "ruby"
            if call.texts().any(|t| {
                t.starts_with('-') && !t.starts_with("--") && t.contains('i') && !t.starts_with("-I")
            }) =>
        {
            paths
                .extend(operands(call.args(), &["-e", "-E", "-I", "-M"]).into_iter().map(|a| a.text.clone()));
        }
        "gawk" | "awk" if call.has("inplace") => paths.extend(
            operands(call.args(), &["-i", "-f", "-v", "-F"]).into_iter().skip(1).map(|a| a.text.clone()),
        ),
        "ed" | "red" => {
            paths.extend(operands(call.args(), &["-p", "--prompt"]).into_iter().map(|a| a.text.clone()));
        }
        "truncate" | "touch" | "shred" | "ex" | "nano" | "vim" | "vi" => {
            paths.extend(
                operands(call.args(), &["-s", "-r", "-c", "-d", "-t", "--size"])
                    .into_iter()
                    .map(|a| a.text.clone()),
            );
        }
        "patch" => {
            paths
                .extend(operands(call.args(), &["-p", "-i", "-d", "-o"]).into_iter().map(|a| a.text.clone()));
        }
        "prettier" | "jq" | "yq" => {}
        _ => {}
    }
    paths
}

pub(super) fn edits_in_place(call: &Call) -> bool {
    call.texts().any(|t| {
        t.starts_with("--in-place")
            || (t.starts_with('-')
                && !t.starts_with("--")
                && t[1..].chars().take_while(char::is_ascii_alphabetic).any(|c| c == 'i'))
    })
}

pub(super) fn is_startup(path: &str, facts: &dyn Facts) -> bool {
    let home = facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let own = path
        .strip_prefix(home.as_str())
        .filter(|_| !home.is_empty())
        .map(|rest| rest.trim_start_matches('/'));
    let others = || {
        path.strip_prefix("/home/").or(path.strip_prefix("/Users/"))?.split_once('/').map(|(_, rest)| rest)
    };
    if let Some(rest) = own.or_else(others) {
        let file = matches!(
            rest,
            ".bashrc"
                | ".bash_profile"
                | ".bash_login"
                | ".bash_logout"
                | ".profile"
                | ".zshrc"
                | ".zprofile"
                | ".zshenv"
                | ".zlogin"
                | ".kshrc"
                | ".cshrc"
                | ".tcshrc"
                | ".config/fish/config.fish"
                | ".ssh/authorized_keys"
                | ".ssh/rc"
                | ".ssh/config"
                | ".xinitrc"
                | ".xprofile"
                | ".xsession"
                | ".pam_environment"
                | ".gitconfig"
                | ".inputrc"
                | ".vimrc"
                | ".pythonrc"
                | ".bash_aliases"
                | ".aliases"
                | ".zlogout"
                | ".zsh_aliases"
                | ".config/git/config"
                | ".config/nvim/init.lua"
                | ".config/nvim/init.vim"
                | ".config/pip/pip.conf"
                | ".pip/pip.conf"
                | ".npmrc"
                | ".yarnrc"
                | ".yarnrc.yml"
                | ".cargo/config.toml"
                | ".cargo/config"
                | ".m2/settings.xml"
                | ".gradle/init.gradle"
                | ".curlrc"
                | ".wgetrc"
                | ".gdbinit"
                | ".lldbinit"
                | ".emacs"
                | ".emacs.d/init.el"
                | ".psqlrc"
                | ".sqliterc"
                | ".irbrc"
                | ".Rprofile"
                | ".tmux.conf"
                | ".screenrc"
                | ".ssh/environment"
        );
        let folder = [
            ".config/systemd/",
            ".config/autostart/",
            "Library/LaunchAgents/",
            ".config/fish/conf.d/",
            ".config/fish/functions/",
            ".config/environment.d/",
            ".ipython/profile_default/startup/",
            ".local/share/systemd/",
            ".oh-my-zsh/custom/",
            ".zshrc.d/",
            ".bashrc.d/",
        ]
        .iter()
        .any(|dir| rest.starts_with(dir));
        return file || folder;
    }
    [
        "/etc/cron",
        "/etc/systemd/",
        "/etc/init.d/",
        "/etc/rc",
        "/etc/profile",
        "/etc/bash.bashrc",
        "/etc/zsh",
        "/etc/ld.so.preload",
        "/etc/sudoers",
        "/var/spool/cron",
        "/Library/LaunchDaemons/",
        "/Library/LaunchAgents/",
        "/lib/systemd/",
        "/usr/lib/systemd/",
        "/etc/xdg/autostart/",
        "/etc/pam.d/",
        "/etc/ssh/",
        "/etc/hosts",
        "/etc/environment",
        "/etc/apt/apt.conf.d/",
        "/etc/apt/sources.list",
        "/etc/gitconfig",
        "/etc/group",
        "/etc/gshadow",
        "/etc/passwd",
        "/etc/shadow",
        "/etc/inittab",
        "/etc/ld.so.conf",
        "/etc/modprobe.d/",
        "/etc/modules",
        "/etc/NetworkManager/dispatcher.d/",
        "/etc/nsswitch.conf",
        "/etc/pip.conf",
        "/etc/polkit-1/",
        "/etc/resolv.conf",
        "/etc/security/",
        "/etc/skel/",
        "/etc/sysctl",
        "/etc/udev/",
        "/etc/update-motd.d/",
        "/etc/yum.repos.d/",
        "/lib/security/",
        "/lib/udev/",
        "/lib/x86_64-linux-gnu/security/",
        "/lib/aarch64-linux-gnu/security/",
        "/usr/lib/x86_64-linux-gnu/security/",
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/modprobe",
        "/root/.ssh/",
        "/root/.bashrc",
        "/root/.profile",
    ]
    .iter()
    .any(|prefix| path.starts_with(prefix))
}
