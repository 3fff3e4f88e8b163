//! Commands out of arguments: a program and its words, its folder, its input, the machine that it runs on, as one line that a
//! shell would read.

use std::borrow::Cow;
use std::fmt::Write as _;

use model::notebook::Cell;
use model::{Command, Language};
use serde_json::{Map, Value};

use super::keys;
use super::words::plain;

type Object = Map<String, Value>;

/// A word in quotes, where a shell would take it apart. `~`, `*` and signs between commands stay bare: whether the tool has a shell
/// that acts on them is not known, so that it has one is assumed.
pub(super) fn quote(word: &str) -> Cow<'_, str> {
    let bare = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'-' | b'.' | b'/' | b':' | b'@' | b'%' | b'+' | b',' | b'=' | b'~' | b'*' | b'?'
            )
    };
    let sign = matches!(word, "&&" | "||" | "|" | ">" | ">>" | "&");
    if sign || !word.is_empty() && word.bytes().all(bare) {
        return word.into();
    }
    literal(word).into()
}

/// In quotes, whatever it is.
pub(super) fn literal(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

pub(super) fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The strings of a list, where it is a list of strings.
pub(super) fn strings(value: &Value) -> Option<Vec<&str>> {
    let list = value.as_array().filter(|list| !list.is_empty())?;
    list.iter().map(Value::as_str).collect()
}

/// Whether a program is named besides its words.
pub(super) fn names_command(object: &Object) -> bool {
    object.keys().any(|key| keys::is_command(&plain(key)) && !keys::is_args(&plain(key)))
}

/// What stands beside a command and says how it runs.
#[derive(Debug, Default)]
pub(super) struct Beside<'a> {
    args: Vec<Cow<'a, str>>,
    pub(super) cwd: Option<&'a str>,
    set: Vec<(&'a str, &'a str)>,
    stdin: Option<&'a str>,
    host: Option<&'a str>,
    container: Option<&'a str>,
    language: Language,
}

impl<'a> Beside<'a> {
    pub(super) fn of(object: &'a Object) -> Self {
        let mut beside = Self::default();
        let named = names_command(object);
        for (key, value) in object {
            let key = plain(key);
            let text = value.as_str();
            match key.as_str() {
                key if keys::is_args(key) && (named || key != "argv") => match (strings(value), text) {
                    (Some(words), _) => beside.args = words.into_iter().map(quote).collect(),
                    (None, Some(text)) => beside.args = vec![text.into()],
                    (None, None) => {}
                },
                key if keys::is_cwd(key) || matches!(key, "directory" | "dir" | "folder") => {
                    beside.cwd = text;
                }
                "env" | "environment" | "env_vars" | "environment_variables" => {
                    let pairs = value.as_object().into_iter().flatten();
                    beside.set =
                        pairs.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
                }
                "stdin" | "input" | "standard_input" => beside.stdin = text.filter(|text| !text.is_empty()),
                "host" | "hostname" | "server" | "connection" | "ssh_host" | "remote_host"
                | "connection_name" => beside.host = text,
                "container" | "container_id" | "container_name" | "pod" | "pod_name" => {
                    beside.container = text;
                }
                "shell" | "interpreter" => {
                    let name = text.unwrap_or_default().to_ascii_lowercase();
                    beside.language = if name.contains("powershell") || name.contains("pwsh") {
                        Language::PowerShell
                    } else if matches!(name.as_str(), "cmd" | "cmd.exe") || name.ends_with("\\cmd.exe") {
                        Language::Cmd
                    } else {
                        Language::Posix
                    };
                }
                _ => {}
            }
        }
        beside
    }

    /// The same for words that are a command themselves.
    pub(super) fn without_args(mut self) -> Self {
        self.args.clear();
        self
    }

    fn is_plain(&self) -> bool {
        self.args.is_empty()
            && self.set.is_empty()
            && self.stdin.is_none()
            && self.host.is_none()
            && self.container.is_none()
    }

    /// The whole command. `at` is where its text stands; with more around it, it stands nowhere. A machine or a container
    /// counts only where the tool is one for those: an argument alone could be put there to be taken for one.
    pub(super) fn command(&self, text: &str, at: Option<&str>, afar: Afar) -> Command {
        let language = self.language;
        let cwd = self.cwd.map(Into::into);
        if self.is_plain() && afar != Afar::Inside {
            return Command {
                text: text.to_owned(),
                language,
                cwd,
                at: at.map(str::to_owned),
                ..Command::default()
            };
        }
        let mut line = String::new();
        for (name, value) in &self.set {
            let _ = write!(line, "export {name}={}; ", quote(value));
        }
        let mut call = text.to_owned();
        for word in &self.args {
            call.push(' ');
            call.push_str(word);
        }
        match (afar, self.host, self.container) {
            (Afar::Host, Some(host), _) => call = format!("ssh {} {}", quote(host), literal(&call)),
            (Afar::Container, _, Some(name)) => {
                call = format!("docker exec {} sh -c {}", quote(name), literal(&call));
            }
            (Afar::Inside, _, name) => {
                call = format!("docker exec {} sh -c {}", quote(name.unwrap_or("it")), literal(&call));
            }
            _ => {}
        }
        if let Some(input) = self.stdin {
            let _ = write!(line, "printf %s {} | ", literal(input));
        }
        line.push_str(&call);
        Command { text: line, language, cwd, ..Command::default() }
    }
}

/// Where the commands of a tool run, by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Afar {
    #[default]
    Here,
    Host,
    Container,
    /// In one that goes on afterwards, whether an argument names it or not.
    Inside,
}

/// The command lines that run code of a language; several, where a line of it may be for a shell. `None` where no shell starts
/// such code.
pub(super) fn running(language: &str, code: &str) -> Option<Vec<Command>> {
    let by = |program: &str, option: &str, code: &str| Command {
        text: format!("{program} {option} {}", literal(code)),
        ..Command::default()
    };
    Some(match language {
        "shell" => vec![Command { text: code.to_owned(), ..Command::default() }],
        "powershell" => {
            vec![Command { text: code.to_owned(), language: Language::PowerShell, ..Command::default() }]
        }
        "python" => {
            let cell = Cell::read(code);
            let own = (!cell.code.trim().is_empty()).then(|| by("python3", "-c", &cell.code));
            let lines = (!cell.commands.is_empty()).then(|| cell.commands.join("\n"));
            own.into_iter().chain(lines.map(|text| Command { text, ..Command::default() })).collect()
        }
        "javascript" => vec![by("node", "-e", code)],
        "ruby" => vec![by("ruby", "-e", code)],
        "perl" => vec![by("perl", "-e", code)],
        "php" => vec![by("php", "-r", code)],
        "lua" => vec![by("lua", "-e", code)],
        "applescript" => vec![by("osascript", "-e", code)],
        _ => return None,
    })
}

/// Whether an argument says that the code beside it is packed.
pub(super) fn is_packed(object: &Object) -> bool {
    object.iter().any(|(key, value)| {
        matches!(plain(key).as_str(), "encoding" | "transfer_encoding" | "content_encoding")
            && value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("base64"))
    })
}

/// Text in base64, where it is that.
pub(super) fn unpacked(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

/// A request that does more than fetch, as `curl` would make it.
pub(super) fn request(object: &Object, address: &str) -> Option<String> {
    let field = |names: &[&str]| {
        let mut all = object.iter().map(|(key, value)| (plain(key), value));
        all.find(|(key, _)| names.contains(&key.as_str())).map(|(_, value)| value)
    };
    let method = field(&["method", "http_method", "verb"]).and_then(Value::as_str)?.to_ascii_uppercase();
    if !matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE") {
        return None;
    }
    let mut words = vec!["curl".to_owned(), "-X".to_owned(), method];
    for (name, value) in field(&["headers"]).and_then(Value::as_object).into_iter().flatten() {
        words.extend(["-H".to_owned(), format!("{name}: {}", value.as_str().unwrap_or_default())]);
    }
    if let Some(body) = field(&["body", "data", "json", "payload", "files", "form"]) {
        let text = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        words.extend(["--data-raw".to_owned(), text]);
        for file in named_files(body) {
            words.extend(["--data-binary".to_owned(), file.to_owned()]);
        }
    }
    words.push(address.to_owned());
    Some(words.iter().map(|word| literal(word)).collect::<Vec<_>>().join(" ").replacen(
        "'curl' '-X'",
        "curl -X",
        1,
    ))
}

/// Texts of a body that stand for a file: `{"file": "@/path"}`.
fn named_files(body: &Value) -> Vec<&str> {
    match body {
        Value::String(text) if text.starts_with("@/") || text.starts_with("@~") || text.starts_with("@.") => {
            vec![text]
        }
        Value::Array(list) => list.iter().flat_map(named_files).collect(),
        Value::Object(object) => object.values().flat_map(named_files).collect(),
        _ => Vec::new(),
    }
}

/// What a program is asked for by a tool that is called after it and after what it does: `kubectl_delete {"resourceType":
/// "namespace", "name": "prod"}`, `docker_system_prune {"volumes": true}`. Also the tools that stop the machine they are on.
pub(super) fn by_name(program: Option<&str>, words: &[String], object: &Object) -> Option<String> {
    let halts =
        |word: &String| matches!(word.as_str(), "shutdown" | "reboot" | "poweroff" | "halt" | "restart");
    let here = |word: &String| {
        matches!(word.as_str(), "system" | "machine" | "computer" | "host" | "pc" | "os" | "now")
    };
    if !words.is_empty() && words.iter().all(|word| halts(word) || here(word)) {
        let word = words.iter().find(|word| halts(word))?;
        return Some(if word == "restart" { "reboot".to_owned() } else { word.clone() });
    }
    let program = program
        .filter(|program| matches!(*program, "kubectl" | "terraform" | "docker" | "helm" | "podman"))?;
    let mut line = vec![program.to_owned()];
    line.extend(words.iter().filter(|word| *word != program).cloned());
    let mut operands = Vec::new();
    for (key, value) in object {
        let key = plain(key);
        match (key.as_str(), value) {
            (_, Value::Bool(true)) => line.push(format!("--{}", key.replace('_', "-"))),
            ("namespace", Value::String(name)) => line.extend(["-n".to_owned(), name.clone()]),
            (key, Value::String(kind)) if keys::is_resource(key) => operands.insert(0, kind.clone()),
            (
                "name" | "resource_name" | "release" | "release_name" | "id" | "target",
                Value::String(name),
            ) if name.len() < 200 => {
                operands.push(name.clone());
            }
            _ => {}
        }
    }
    line.extend(operands);
    Some(join(line.iter().map(String::as_str)))
}

/// What git is asked for by a tool of its own: `git_push {"force": true, "branch": "main"}`.
pub(super) fn git(words: &[String], object: &Object) -> Option<Command> {
    const VERBS: &[&str] = &[
        "push", "reset", "clean", "checkout", "switch", "branch", "stash", "rebase", "restore", "commit",
        "merge", "rm", "tag", "remote", "worktree",
    ];
    if words.iter().any(|word| word == "config") {
        return configured(object);
    }
    let verb = words.iter().find(|word| VERBS.contains(&word.as_str()))?;
    let (mut options, mut operands, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let mut cwd = None;
    for (key, value) in object {
        let key = plain(key);
        match (key.as_str(), value) {
            (_, Value::Bool(true)) => options.push(format!("--{}", key.replace('_', "-"))),
            ("mode" | "reset_type" | "type" | "reset_mode", Value::String(mode)) => {
                options.push(format!("--{}", mode.trim_start_matches('-')));
            }
            ("action" | "operation" | "subcommand", Value::String(word)) => operands.insert(0, word.clone()),
            ("message" | "commit_message", Value::String(text)) => {
                options.extend(["-m".to_owned(), text.clone()]);
            }
            ("remote" | "remote_name", Value::String(name)) => operands.insert(0, name.clone()),
            (
                "branch" | "branch_name" | "ref" | "refspec" | "target" | "commit" | "revision" | "name"
                | "source_branch" | "tag",
                Value::String(name),
            ) => operands.push(name.clone()),
            (
                "repo_path" | "path" | "repo" | "repository" | "directory" | "cwd" | "working_directory",
                Value::String(path),
            ) => {
                cwd = Some(path.into());
            }
            ("files" | "paths" | "file_paths", Value::Array(list)) => {
                files.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            ("args" | "flags" | "options", Value::Array(list)) => {
                operands.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    // A branch alone is not a remote.
    if verb == "push" && operands.len() == 1 {
        operands.insert(0, "origin".to_owned());
    }
    if !files.is_empty() {
        files.insert(0, "--".to_owned());
    }
    let all = ["git", verb].into_iter();
    let rest = options.iter().chain(&operands).chain(&files).map(String::as_str);
    Some(Command { text: join(all.chain(rest)), cwd, ..Command::default() })
}

/// A setting of git that a tool gives a value: `git_config_set {"key": "core.pager", "value": "less"}`.
fn configured(object: &Object) -> Option<Command> {
    let text = |names: &[&str]| {
        let named = object.iter().find(|(key, _)| names.contains(&plain(key).as_str()));
        named.and_then(|(_, value)| value.as_str())
    };
    let key = text(&["key", "name", "setting", "option", "config_key", "property"])?;
    let value = text(&["value", "config_value", "new_value"]).unwrap_or_default();
    let cwd = text(&["repo_path", "path", "repo", "repository", "directory", "cwd", "working_directory"]);
    let words = ["git", "config", key, value].into_iter().filter(|word| !word.is_empty());
    Some(Command { text: join(words), cwd: cwd.map(Into::into), ..Command::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_program_and_its_words_are_one_line() {
        let input =
            object(r#"{"args": ["-rf", "~", "a b"], "cwd": "/x", "env": {"A": "1 2"}, "stdin": "y"}"#);
        let command = Beside::of(&input).command("rm", Some("/command"), Afar::Here);
        assert_eq!(command.text, "export A='1 2'; printf %s 'y' | rm -rf ~ 'a b'");
        assert_eq!((command.cwd, command.at), (Some("/x".into()), None));
        let plain = Object::new();
        assert_eq!(
            Beside::of(&plain).command("ls", Some("/command"), Afar::Here).at.as_deref(),
            Some("/command")
        );
    }

    #[test]
    fn another_machine_counts_only_for_tools_that_have_one() {
        let input = object(r#"{"host": "db1", "container": "web"}"#);
        let beside = Beside::of(&input);
        assert_eq!(beside.command("rm -rf /", None, Afar::Here).text, "rm -rf /");
        assert_eq!(beside.command("rm -rf /", None, Afar::Host).text, "ssh db1 'rm -rf /'");
        assert_eq!(beside.command("ls", None, Afar::Container).text, "docker exec web sh -c 'ls'");
    }

    #[test]
    fn code_is_started_by_its_interpreter() {
        let texts = |language: &str, code: &str| -> Vec<String> {
            running(language, code).unwrap().into_iter().map(|command| command.text).collect()
        };
        assert_eq!(texts("python", "print(1)"), ["python3 -c 'print(1)'"]);
        assert_eq!(texts("python", "x = 1\n!rm -rf ~\n"), ["python3 -c 'x = 1'", "rm -rf ~"]);
        assert_eq!(texts("python", "%%bash\nls"), ["ls"]);
        assert_eq!(running("cobol", "x"), None);
    }

    #[test]
    fn requests_and_git_become_their_commands() {
        let input = object(r#"{"url": "http://h:9200/i", "method": "delete"}"#);
        assert_eq!(request(&input, "http://h:9200/i").unwrap(), "curl -X 'DELETE' 'http://h:9200/i'");
        assert_eq!(request(&object(r#"{"method": "GET"}"#), "http://h"), None);
        let words: Vec<String> = ["git", "push"].map(str::to_owned).into();
        let push = git(&words, &object(r#"{"repo_path": "/r", "force": true, "branch": "main"}"#)).unwrap();
        assert_eq!((push.text.as_str(), push.cwd), ("git push --force origin main", Some("/r".into())));
        assert_eq!(git(&["git".into(), "status".into()], &Object::new()), None);
        let set = object(r#"{"name": "core.pager", "value": "sh x", "repo_path": "/r"}"#);
        let words: Vec<String> = ["git", "config", "set"].map(str::to_owned).into();
        assert_eq!(git(&words, &set).unwrap().text, "git config core.pager 'sh x'");
    }
}
