//! Rules about the commands in a `RUN`: package managers, downloads, and what has no place in an image.

use parse_dockerfile::Instruction;

use super::command::Command;
use super::labels::pairs;
use super::{Run, Step, at, shell_named};
use crate::problem::Problem;

/// What the stage has done so far.
#[derive(Default)]
struct Stage {
    curl: bool,
    wget: bool,
    pipefail: bool,
    /// A shell to which `pipefail` means nothing.
    foreign: bool,
    pip_cache_off: bool,
    /// The `RUN` just before, if it was one command and had these options.
    single_run: Option<Vec<String>>,
    /// `apt-get update` without a removal of the lists.
    lists: Vec<u32>,
}

pub(crate) fn lint(steps: &[Step<'_, '_>]) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut stage = Stage::default();
    for step in steps {
        match step.instruction {
            // Only what the last stage leaves behind is in the image.
            Instruction::From(_) => stage = Stage::default(),
            Instruction::Shell(shell) => {
                let words: Vec<&str> = shell.arguments.iter().map(|word| &*word.value).collect();
                stage.foreign = words.first().is_none_or(|program| shell_named(program).is_none());
                stage.pipefail = words.contains(&"pipefail");
            }
            Instruction::Env(env) => {
                let off = |(key, value): (String, String)| {
                    key == "PIP_NO_CACHE_DIR" && !matches!(&*value, "" | "0" | "false")
                };
                stage.pip_cache_off |= pairs(&env.arguments.value).into_iter().any(off);
            }
            _ => {}
        }
        let Some(run) = &step.run else {
            stage.single_run = None;
            continue;
        };
        if stage.foreign {
            continue;
        }
        found.extend(run_rules(step.line, run, &stage));
        stage.tools(step.line, run, &mut found);
        stage.consecutive(step, run, &mut found);
        stage.apt_lists(step.line, run);
    }
    let lists = stage.lists.into_iter();
    found.extend(
        lists.map(|line| {
            at(line, "DL3009", "The package lists stay in the image: rm -rf /var/lib/apt/lists/*")
        }),
    );
    found
}

impl Stage {
    fn tools(&mut self, line: u32, run: &Run, found: &mut Vec<Problem>) {
        let uses = |name: &str| run.commands.list.iter().any(|command| command.is(name));
        let (curl, wget) = (uses("curl"), uses("wget"));
        self.curl |= curl;
        self.wget |= wget;
        if (curl || wget) && self.curl && self.wget {
            found.push(at(line, "DL4001", "Use either wget or curl, not both"));
        }
    }

    fn consecutive(&mut self, step: &Step<'_, '_>, run: &Run, found: &mut Vec<Problem>) {
        let single = (run.commands.list.len() < 2 && !step.on_build).then(|| run.options.clone());
        if single.is_some() && single == self.single_run {
            found.push(at(step.line, "DL3059", "Several RUN in a row: each is a layer, put them together"));
        }
        self.single_run = single;
    }

    fn apt_lists(&mut self, line: u32, run: &Run) {
        let commands = &run.commands.list;
        let removed = commands.iter().any(|command| {
            command.is("rm")
                && command
                    .arguments()
                    .any(|path| path.trim_end_matches(['/', '*']).ends_with("/var/lib/apt/lists"))
        });
        let mounted = run
            .options
            .iter()
            .any(|option| option.contains("/var/lib/apt/lists") || option.contains("/var/lib/apt"));
        if commands.iter().any(|command| command.is_verb("apt-get", "update")) && !removed && !mounted {
            self.lists.push(line);
        }
    }
}

fn run_rules(line: u32, run: &Run, stage: &Stage) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut say = |code: &'static str, message: &str| found.push(at(line, code, message));
    let commands = &run.commands.list;
    let cached =
        |path: &str| run.options.iter().any(|option| option.starts_with("--mount") && option.contains(path));

    if run.commands.pipe && !stage.pipefail {
        say(
            "DL4006",
            "A pipe hides failures: SHELL [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"] before this RUN",
        );
    }
    for command in commands {
        match command.name() {
            "sudo" => say("DL3004", "sudo behaves unpredictably here; use USER, or gosu at run time"),
            "cd" => say("DL3003", "Use WORKDIR to change the directory"),
            "apt" => say("DL3027", "apt is for people; use apt-get or apt-cache"),
            "ssh" | "vim" | "shutdown" | "service" | "ps" | "free" | "top" | "kill" | "mount"
            | "ifconfig" => {
                say("DL3001", "This command makes no sense while an image is built");
            }
            "ln" if command.arguments().any(|word| word == "/bin/sh") => {
                say("DL4005", "Use SHELL to change the default shell");
            }
            "useradd" if has_high_id(command) && !command.has(&["-l", "--no-log-init"]) => {
                say("DL3046", "A high user id without -l makes the image huge");
            }
            "wget" if !is_quiet(command) => {
                say("DL3047", "wget's progress bar bloats the log: --progress=dot:giga, -q or -nv");
            }
            _ => {}
        }
    }
    apt_get(commands, &mut say);
    apk(commands, &mut say, cached("/var/cache/apk") || cached("/etc/apk/cache"));
    rpm(commands, &mut say, cached("/var/cache/"));
    zypper(commands, &mut say, cached("/var/cache/zypp"));
    python(commands, &mut say, stage.pip_cache_off || cached("/pip"));
    others(commands, &mut say, cached(".cache/yarn"));
    found
}

fn has_high_id(command: &Command) -> bool {
    let mut words = command
        .words
        .iter()
        .skip_while(|word| !(word.starts_with('-') && !word.starts_with("--") && word.ends_with('u')));
    words.nth(1).is_some_and(|id| id.len() > 5 && id.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_quiet(command: &Command) -> bool {
    command.options().any(|option| option.starts_with("-nv") || option.starts_with("--progress"))
        || command.has(&["-q", "-o", "-a", "--quiet", "--no-verbose", "--output-file", "--append-output"])
}

type Say<'a> = &'a mut dyn FnMut(&'static str, &str);

fn apt_get(commands: &[Command], say: Say<'_>) {
    for command in commands.iter().filter(|command| command.is_verb_of("apt-get", &["install"])) {
        let agrees = command.has(&["-y", "--yes", "--assume-yes", "-qq", "--assume-yes"])
            || command
                .options()
                .filter(|option| !option.starts_with("--"))
                .map(|option| option.matches('q').count())
                .sum::<usize>()
                > 1
            || command.options().any(|option| option == "-q=2");
        if !agrees {
            say("DL3014", "Nobody can answer while an image is built: apt-get install -y");
        }
        if !command.has(&["--no-install-recommends"])
            && !command.words.iter().any(|word| word == "APT::Install-Recommends=false")
        {
            say("DL3015", "Recommended packages bloat the image: --no-install-recommends");
        }
        let with_value =
            ["-c", "--config-file", "-o", "--option", "-t", "--target-release", "-a", "--host-architecture"];
        let packages = command.arguments_without(&with_value).into_iter().skip(1);
        if packages
            .into_iter()
            .any(|package| !package.contains('=') && !package.contains('/') && !package.ends_with(".deb"))
        {
            say("DL3008", "Pin the versions: apt-get install <package>=<version>");
        }
    }
}

fn apk(commands: &[Command], say: Say<'_>, cached: bool) {
    for command in commands.iter().filter(|command| command.is_verb_of("apk", &["add"])) {
        let with_value =
            ["-t", "--virtual", "-X", "--repository", "-p", "--root", "--keys-dir", "--repositories-file"];
        let packages = command.arguments_without(&with_value).into_iter().skip(1);
        if packages
            .into_iter()
            .any(|package| !package.contains(['=', '~', '>', '<']) && !package.ends_with(".apk"))
        {
            say("DL3018", "Pin the versions: apk add <package>=<version>");
        }
        if !command.has(&["--no-cache"]) && !cached {
            say("DL3019", "The package index stays in the image: apk add --no-cache");
        }
    }
}

fn rpm(commands: &[Command], say: Say<'_>, cached: bool) {
    let managers = [
        (&["yum"][..], ["DL3030", "DL3032", "DL3033"]),
        (&["dnf", "microdnf"][..], ["DL3038", "DL3040", "DL3041"]),
    ];
    for (names, [yes, clean, pin]) in managers {
        let ours = |command: &&Command| names.contains(&command.name());
        let verbs = ["install", "groupinstall", "localinstall", "reinstall", "update", "upgrade"];
        for command in commands.iter().filter(ours) {
            let verb = command.arguments().next().unwrap_or_default();
            if ["install", "groupinstall", "localinstall"].contains(&verb)
                && !command.has(&["-y", "--assumeyes"])
            {
                say(yes, "Nobody can answer while an image is built: -y");
            }
            let packages = command.arguments().skip(1);
            let pinned = |package: &str| {
                package.ends_with(".rpm")
                    || package.split('-').skip(1).any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
            };
            if verb == "install" && packages.into_iter().any(|package| !pinned(package)) {
                say(pin, "Pin the versions: install <package>-<version>");
            }
        }
        let installs = commands
            .iter()
            .filter(ours)
            .any(|command| command.arguments().next().is_some_and(|verb| verbs.contains(&verb)));
        let cleans = commands.iter().any(|command| {
            (names.contains(&command.name()) && command.arguments().take(2).eq(["clean", "all"]))
                || (command.is("rm")
                    && command
                        .arguments()
                        .any(|path| names.iter().any(|name| path.starts_with(&format!("/var/cache/{name}")))))
        });
        if installs && !cleans && !cached {
            say(clean, "What was downloaded stays in the image: clean all");
        }
    }
}

fn zypper(commands: &[Command], say: Say<'_>, cached: bool) {
    let verb_is = |command: &Command, verbs: &[&str]| command.is_verb_of("zypper", verbs);
    let mut used = false;
    for command in commands.iter().filter(|command| command.is("zypper")) {
        if verb_is(command, &["dist-upgrade", "dup"]) {
            say("DL3035", "A distribution upgrade belongs into the base image");
        }
        let installs = ["install", "in", "remove", "rm", "source-install", "si", "patch"];
        if verb_is(command, &installs) && !command.has(&["-y", "--no-confirm", "-n", "--non-interactive"]) {
            say("DL3034", "Nobody can answer while an image is built: zypper --non-interactive");
        }
        if verb_is(command, &["install", "in"]) {
            used = true;
            let pinned = |package: &str| package.contains(['=', '<', '>']) || package.ends_with(".rpm");
            if command.arguments().skip(1).any(|package| !pinned(package)) {
                say("DL3037", "Pin the versions: zypper install <package>=<version>");
            }
        }
    }
    if used && !cached && !commands.iter().any(|command| verb_is(command, &["clean", "cc"])) {
        say("DL3036", "What was downloaded stays in the image: zypper clean");
    }
}

fn python(commands: &[Command], say: Say<'_>, cached: bool) {
    for command in commands {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let is_pip = |name: &str| {
            name.strip_prefix("pip").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
        };
        let rest = match &*words {
            [name, rest @ ..] if is_pip(name.rsplit('/').next().unwrap_or(name)) => rest,
            [python, "-m", "pip", rest @ ..]
                if python.rsplit('/').next().is_some_and(|name| name.starts_with("python")) =>
            {
                rest
            }
            _ => continue,
        };
        let pip = Command {
            words: std::iter::once("pip").chain(rest.iter().copied()).map(str::to_owned).collect(),
        };
        if pip.arguments().next() != Some("install") {
            continue;
        }
        if !pip.has(&["--no-cache-dir"]) && !cached {
            say("DL3042", "pip's cache stays in the image: --no-cache-dir");
        }
        let with_value = [
            "-c",
            "--constraint",
            "-e",
            "--editable",
            "-t",
            "--target",
            "--platform",
            "--python-version",
            "--implementation",
            "--abi",
            "--root",
            "--prefix",
            "-b",
            "--build",
            "--src",
            "--upgrade-strategy",
            "--install-option",
            "--global-option",
            "--no-binary",
            "--only-binary",
            "--progress-bar",
            "-i",
            "--index-url",
            "--extra-index-url",
            "-f",
            "--find-links",
            "--trusted-host",
            "--config-settings",
            "--retries",
            "--timeout",
        ];
        if pip.has(&["-r", "--requirement", "--constraint", "-e", "--editable"])
            || pip.words.iter().any(|word| word == "-c")
        {
            continue;
        }
        let pinned = |package: &str| {
            ["==", ">=", "<=", ">", "<", "!=", "~=", "==="].iter().any(|sign| package.contains(sign))
                || package.contains("://")
                || package.contains('@')
                || package == "."
                || package.starts_with(['.', '/'])
                || [".whl", ".tar.gz", ".zip"].iter().any(|end| package.ends_with(end))
        };
        if pip.arguments_without(&with_value).into_iter().skip(1).any(|package| !pinned(package)) {
            say("DL3013", "Pin the versions: pip install <package>==<version>, or a requirements file");
        }
    }
}

fn others(commands: &[Command], say: Say<'_>, yarn_cached: bool) {
    for command in commands {
        if command.is_verb_of("npm", &["install", "i", "add"]) {
            let pinned = |package: &str| {
                let version = package.trim_start_matches('@').split_once('@').map(|(_, version)| version);
                version.is_some_and(|version| !version.is_empty())
                    || package.starts_with(['.', '/', '$'])
                    || ["git", "http:", "https:", "file:"].iter().any(|scheme| package.starts_with(scheme))
                    || [".tgz", ".tar.gz", ".tar"].iter().any(|end| package.ends_with(end))
            };
            let with_value = ["--loglevel", "--registry", "--prefix", "--cache", "--tag", "-C"];
            if command.arguments_without(&with_value).into_iter().skip(1).any(|package| !pinned(package)) {
                say("DL3016", "Pin the versions: npm install <package>@<version>");
            }
        }
        if command.is_verb_of("gem", &["install", "i"]) && !command.has(&["-v", "--version"]) {
            let own = command.words.iter().take_while(|word| *word != "--").cloned().collect();
            let own = Command { words: own };
            if own.arguments().skip(1).any(|gem| !gem.contains(':')) {
                say("DL3028", "Pin the versions: gem install <gem>:<version>");
            }
        }
        if command.is_verb_of("go", &["install", "get", "run"]) {
            let unpinned = |package: &str| {
                let remote = package.contains('.') && package.contains('/') && !package.starts_with('.');
                package.ends_with("@latest")
                    || (!package.contains('@') && (remote || !package.starts_with('.')))
            };
            if command.arguments().skip(1).any(unpinned) {
                say("DL3062", "Pin the versions: go install <package>@<version>");
            }
        }
    }
    let yarn = |verb: &[&str]| commands.iter().any(|command| command.is_verb_of("yarn", verb));
    let cleaned = commands
        .iter()
        .any(|command| command.is("yarn") && command.arguments().take(2).eq(["cache", "clean"]));
    if yarn(&["install"]) && !cleaned && !yarn_cached {
        say("DL3060", "yarn's cache stays in the image: yarn cache clean");
    }
}

impl Command {
    fn is_verb_of(&self, name: &str, verbs: &[&str]) -> bool {
        verbs.iter().any(|verb| self.is_verb(name, verb))
            // `apt-get -o X=1 install`: the value of an option before the verb is not a verb.
            || (self.is(name) && self.arguments_without(&["-o", "-t", "-c", "--option"]).first().is_some_and(|first| verbs.contains(first)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lint_with;

    #[test]
    fn one_line_per_manager() {
        for (run, expected) in [
            ("apt-get install -y --no-install-recommends a=1", ""),
            ("apt-get install a", "DL3008 DL3014 DL3015"),
            ("apt-get -o X=1 install -yqq --no-install-recommends a=1 -t s b=2", ""),
            ("apt-get update", "DL3009"),
            ("apt-get update && rm -rf /var/lib/apt/lists/*", ""),
            ("apt install a", "DL3027"),
            ("apk add a", "DL3018 DL3019"),
            ("apk --no-cache add --virtual .d a~=1", ""),
            ("pip install flask", "DL3013 DL3042"),
            ("python3 -m pip install --no-cache-dir flask==1", ""),
            ("pip install --no-cache-dir -r requirements.txt", ""),
            ("npm ci && npm install", ""),
            ("npm install -g a @b/c", "DL3016"),
            ("yum install a", "DL3030 DL3032 DL3033"),
            ("dnf install -y a-1.2 && dnf clean all", ""),
            ("zypper install a", "DL3034 DL3036 DL3037"),
            ("gem install a", "DL3028"),
            ("go install x/y@latest", "DL3062"),
            ("yarn install", "DL3060"),
            ("useradd -u 1000000 a", "DL3046"),
            ("wget x", "DL3047"),
            ("wget -qO- x", ""),
            ("a | b", "DL4006"),
            ("sudo a", "DL3004"),
            ("cd /a && b", "DL3003"),
            ("ssh a", "DL3001"),
            ("ln -sf /bin/bash /bin/sh", "DL4005"),
        ] {
            let found = lint_with(None, &format!("FROM a:1\nRUN {run}\n"));
            assert_eq!(found.replace("2:", ""), expected, "{run}");
        }
    }

    #[test]
    fn stages_remember() {
        assert_eq!(lint_with(None, "FROM a:1\nRUN curl x\nRUN wget -q y && z\n"), "3:DL4001");
        assert_eq!(lint_with(None, "FROM a:1\nRUN a\nRUN b\n"), "3:DL3059");
        assert_eq!(lint_with(None, "FROM a:1\nRUN a\nRUN --mount=type=cache,target=/x b\n"), "");
        assert_eq!(
            lint_with(None, "FROM a:1\nSHELL [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"]\nRUN a | b\n"),
            ""
        );
        assert_eq!(lint_with(None, "FROM a:1\nENV PIP_NO_CACHE_DIR=1\nRUN pip install a==1\n"), "");
        assert_eq!(lint_with(None, "FROM a:1 AS b\nRUN apt-get update\nFROM c:1\n"), "", "not in the image");
    }
}
