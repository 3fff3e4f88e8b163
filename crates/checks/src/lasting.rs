//! Places that outlive a session: what lies there runs again later, or decides what does.

use model::Facts;

/// A file that is written, by an edit or by a command.
pub(crate) struct Lasting<'a> {
    /// Absolute.
    pub(crate) path: &'a str,
    /// Its new text, as far as it is known; of a command, all its words.
    pub(crate) content: &'a str,
    /// The text comes from the network, or was decoded.
    pub(crate) fetched: bool,
    /// It is a copy of a file, whose text is not looked at.
    pub(crate) copied: bool,
    /// The text that is written can be seen.
    pub(crate) seen: bool,
}

/// What nobody who means well writes to such a place.
const FOUL: &[&str] = &[
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
];

impl Lasting<'_> {
    /// What the write would do, if it lasts, and whether nobody need be asked about that. `name` is for the message.
    pub(crate) fn judge(&self, name: &str, facts: &dyn Facts) -> Option<(String, bool)> {
        let Lasting { path, content, fetched, copied, seen } = *self;
        if let Some(what) = replaced(path, content, facts) {
            return Some((what, true));
        }
        if seen && !copied && !fetched && shadows(path, content) {
            return Some((
                format!("This would put a script in the place of {}.", shell::path::name(path)),
                false,
            ));
        }
        // Only of what lasts the text is looked at: most edits are long, and of other files.
        let temporary = || runs_temporary(content, facts);
        let foul = || fetched || FOUL.iter().any(|word| content.contains(word));
        let what = || format!("This would write to {name}.");
        if is_startup(path, facts) {
            let always = STARTED.iter().any(|place| path.contains(place))
                || path.trim_end_matches('2').ends_with("authorized_keys") && !content.is_empty() && !copied;
            return Some((what(), always || foul() || temporary()));
        }
        // A hook of the repository, that fetches code or not; what every Python starts with; a new root.
        let hook = path.contains("/.git/hooks/") && !path.ends_with(".sample");
        let python = is_python_startup(path)
            && !shell::path::is_below(path, &facts.project().to_string_lossy())
            || path.ends_with(".pth") && content.contains("import ");
        if hook || python {
            return Some((what(), python || foul() || temporary()));
        }
        // What runs as soon as somebody enters the folder; most of it sets variables.
        if shell::path::name(path) == ".envrc" && (foul() || temporary()) {
            return Some((what(), false));
        }
        // What a branch is, past git and all that looks at its commands.
        if is_git_ref(path) {
            return Some((format!("This would move a branch without git ({name})."), foul()));
        }
        // Of git's own settings only what it runs; most are about remotes and branches.
        let runs = is_git_config(path)
            && (!seen || copied || content.is_empty() || crate::git_config::text_runs_something(content));
        runs.then(|| (format!("This would change what git runs ({name})."), foul() || temporary()))
    }
}

/// A repository's own settings, also of a submodule or a linked work tree.
fn is_git_config(path: &str) -> bool {
    path.contains("/.git/") && matches!(shell::path::name(path), "config" | "config.worktree")
}

/// Where a repository keeps what its branches and tags are.
fn is_git_ref(path: &str) -> bool {
    let Some((_, rest)) = path.rsplit_once("/.git/") else { return false };
    matches!(rest, "HEAD" | "packed-refs" | "refs/heads" | "refs/tags" | "refs")
        || (rest.starts_with("refs/heads/")
            || rest.starts_with("refs/tags/")
            || rest.starts_with("worktrees/") && rest.ends_with("/HEAD"))
            && !rest.ends_with(".lock")
}

/// Files in a home that are read when a shell or a tool starts.
const OWN_FILES: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".config/fish/config.fish",
    ".ssh/authorized_keys",
    ".ssh/authorized_keys2",
    ".ssh/rc",
    ".ssh/config",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".pam_environment",
    ".gitconfig",
    ".inputrc",
    ".vimrc",
    ".pythonrc",
    ".bash_aliases",
    ".aliases",
    ".zlogout",
    ".zsh_aliases",
    ".config/git/config",
    ".config/nvim/init.lua",
    ".config/nvim/init.vim",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".cargo/config.toml",
    ".cargo/config",
    ".m2/settings.xml",
    ".gradle/init.gradle",
    ".curlrc",
    ".wgetrc",
    ".gdbinit",
    ".lldbinit",
    ".emacs",
    ".emacs.d/init.el",
    ".psqlrc",
    ".sqliterc",
    ".irbrc",
    ".Rprofile",
    ".tmux.conf",
    ".screenrc",
    ".ssh/environment",
    ".envrc",
];

/// Folders in a home of which the same is true.
const OWN_FOLDERS: &[&str] = &[
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
];

/// How paths of the system begin that the machine, or everybody's programs, start with.
const SYSTEM: &[&str] = &[
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
    "/etc/crypttab",
    "/etc/fstab",
    "/boot/",
    "/proc/sysrq-trigger",
    "/usr/local/share/ca-certificates/",
    "/usr/share/ca-certificates/",
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
    "/etc/yum.conf",
    "/etc/dnf/",
    "/etc/pacman.conf",
    "/etc/pacman.d/",
    "/etc/apk/",
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
];

/// Whether a shell, a tool or the machine reads this file when it starts.
pub(crate) fn is_startup(path: &str, facts: &dyn Facts) -> bool {
    if is_startup_of_windows(path) {
        return true;
    }
    let home = facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let own = path
        .strip_prefix(home.as_str())
        .filter(|_| !home.is_empty())
        .map(|rest| rest.trim_start_matches('/'));
    let others = || {
        path.strip_prefix("/home/").or(path.strip_prefix("/Users/"))?.split_once('/').map(|(_, rest)| rest)
    };
    if let Some(rest) = own.or_else(others) {
        return OWN_FILES.contains(&rest) || OWN_FOLDERS.iter().any(|folder| rest.starts_with(folder));
    }
    SYSTEM.iter().any(|prefix| path.starts_with(prefix))
}

/// Keys of the registry, folders and profiles that Windows and PowerShell start from.
fn is_startup_of_windows(path: &str) -> bool {
    const PLACES: &[&str] = &[
        "/currentversion/run",
        "/currentversion/winlogon",
        "/currentversion/image file execution options",
        "/currentversion/policies/explorer/run",
        "/currentcontrolset/services",
        "/command processor",
        "/start menu/programs/startup",
        "/windows/system32/tasks",
        "/windows/system32/drivers/etc/hosts",
        "/windowspowershell/profile",
        "/powershell/profile",
        "microsoft.powershell_profile.ps1",
        "microsoft.vscode_profile.ps1",
        "/currentversion/app paths",
    ];
    // Few paths have any of these, and small letters cost something.
    let likely = path.starts_with("/Registry/")
        || path.contains("rofile")
        || path.contains("tart")
        || path.starts_with("/mnt/");
    likely && {
        let lower = path.to_ascii_lowercase();
        PLACES.iter().any(|place| lower.contains(place))
    }
}

/// Text that names something in a temporary place, other than the place itself. A home or a project may lie in one, too.
pub(crate) fn runs_temporary(text: &str, facts: &dyn Facts) -> bool {
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

/// A script under the name of a program that is known, in a folder where everybody's programs are looked for.
fn shadows(path: &str, content: &str) -> bool {
    let name = shell::path::name(path);
    let folder = path[..path.len() - name.len()].trim_end_matches('/');
    let everybody =
        matches!(folder, "/bin" | "/sbin" | "/usr/bin" | "/usr/sbin" | "/usr/local/bin" | "/usr/local/sbin");
    everybody && content.starts_with("#!") && shell::programs::find(name).is_some()
}

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
    let program = shell::programs::find(name);
    let known = program.is_some_and(|program| program.style.base)
        || name == "login"
        || program.is_some() && runs_temporary(content, facts) && !content.contains(&format!("/{name} "));
    (programs && known).then(|| format!("This would put another program in the place of {name}."))
}

/// What every Python runs before anything else.
fn is_python_startup(path: &str) -> bool {
    matches!(shell::path::name(path), "usercustomize.py" | "sitecustomize.py")
}

/// Whether what lies there is started, whoever put it there.
pub(crate) fn starts_by_itself(path: &str) -> bool {
    path.starts_with('/') && STARTED.iter().any(|place| path.contains(place))
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
    "/CurrentVersion/Run",
    "/CurrentVersion/Winlogon",
    "/CurrentVersion/Image File",
    "/Start Menu/Programs/Startup",
];
