//! Methods of .NET: what they do to text is worked out here, what they do to files and machines stands in the tables under
//! `type::method`. One that nobody knows is a call that is not understood.

use super::{Items, LONGEST_TEXT, text};
use crate::reader::Reader;
use crate::reading::{Arg, Argv};
use crate::state::State;
use crate::text::{ANY, DECODED, NET, holes, is_known};

/// Methods that only look at what they are given, or make another text of it.
const HARMLESS: &[&str] = &[
    "adddays",
    "addhours",
    "addminutes",
    "addseconds",
    "addmonths",
    "compareto",
    "contains",
    "containskey",
    "endswith",
    "equals",
    "first",
    "format",
    "gethashcode",
    "getenumerator",
    "gettype",
    "getlength",
    "indexof",
    "isnullorempty",
    "isnullorwhitespace",
    "last",
    "lastindexof",
    "max",
    "min",
    "abs",
    "matches",
    "match",
    "newguid",
    "now",
    "parse",
    "pow",
    "round",
    "floor",
    "ceiling",
    "sort",
    "startswith",
    "subtract",
    "tolocaltime",
    "touniversaltime",
    "tryparse",
    "where",
    "add",
    "addrange",
    "clear",
    "join",
    "getextension",
    "getfilename",
    "getfilenamewithoutextension",
    "ismatch",
    "tolist",
    "toarray",
    "exists",
    "readkey",
    "dispose",
    "close",
    "flush",
    "elapsed",
    "restart",
    "startnew",
    "getrandomfilename",
    "frombase64",
    "tostring",
];

impl Reader<'_> {
    /// `[type]::name`
    pub(super) fn constant(&mut self, of: &[String], name: &str) -> Items {
        let kind = text(of);
        let kind = kind.trim_matches(['[', ']']);
        match (kind, name.to_ascii_lowercase().as_str()) {
            ("environment", "newline") => vec!["\n".into()],
            ("environment", "currentdirectory") => vec![".".into()],
            ("environment", "systemdirectory") => vec!["C:/Windows/System32".into()],
            ("io.path", "directoryseparatorchar" | "altdirectoryseparatorchar") => vec!["/".into()],
            ("string", "empty") => vec![String::new()],
            // What decodes by it is told apart later.
            (_, name @ ("unicode" | "utf8" | "ascii" | "default" | "bigendianunicode")) => {
                vec![format!("[{name}]")]
            }
            _ => vec![ANY.to_string()],
        }
    }

    pub(super) fn method(&mut self, of: &[String], name: &str, args: &[Items], state: &mut State) -> Items {
        let lower = name.to_ascii_lowercase();
        let whole = text(of);
        let given = |at: usize| args.get(at).map(|items| text(items)).unwrap_or_default();
        if let Some(made) = of_text(of, &lower, args) {
            self.worked += made.iter().map(String::len).sum::<usize>();
            return super::bounded(made);
        }
        let kind = whole.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(found) = self.by_reflection(kind, &whole, &lower, args, state) {
            return found;
        }
        match (kind, lower.as_str()) {
            (Some("scriptblock"), "create") => return vec![format!("{{{}}}", given(0))],
            (Some("environment"), "getfolderpath") => return vec![self.special_folder(&given(0))],
            (Some("environment"), "getenvironmentvariable") => {
                return self.variable(&format!("env:{}", given(0)), state);
            }
            (Some("environment"), "expandenvironmentvariables") => {
                return vec![self.percent(&given(0), state)];
            }
            (Some("environment"), "setenvironmentvariable") => {
                self.set(&format!("env:{}", given(0)), vec![given(1)], state);
            }
            (Some("io.path"), "combine" | "join") => {
                let parts: Vec<String> =
                    args.iter().flatten().map(|part| part.trim_end_matches(['/', '\\']).to_owned()).collect();
                return vec![parts.join("/")];
            }
            (Some("io.path"), "gettempfilename") => return vec![format!("/tmp/tmp{ANY}")],
            (Some("io.path"), "gettemppath") => return vec!["/tmp".into()],
            (Some("io.path"), "getfullpath") => return vec![state.absolute(&given(0))],
            (
                Some("io.file"),
                "readalltext" | "readalllines" | "readallbytes" | "readlines" | "openread" | "opentext",
            ) => {
                self.described(kind, &lower, args, state);
                return vec![self.file_text(&given(0).replace('\\', "/"), state).to_string()];
            }
            (None, "invoke" | "invokereturnasis" | "begininvoke" | "invokewithcontext")
                if !whole.is_empty() =>
            {
                let words: Vec<Arg> = args.iter().flatten().map(Arg::new).collect();
                if let Some(program) = whole.strip_prefix("command:") {
                    let argv = std::iter::once(Arg::new(program)).chain(words).collect();
                    return self.command_of_powershell(argv, None, state);
                }
                return self.block_of_powershell(&whole, &words, state);
            }
            (_, "invokescript" | "addscript" | "newscriptblock") => {
                return self.run_powershell(&given(0), "powershell", state);
            }
            // Of a list: for each, with `$_`.
            (None, "foreach") => {
                let block = given(0);
                return self.each_of("_", of.to_vec(), state, |reader, state| {
                    reader.block_of_powershell(&block, &[], state)
                });
            }
            // `WScript.Shell` and `Shell.Application` start programs, too.
            (Some("diagnostics.process"), "start") | (None, "shellexecute") => {
                let line = format!("{} {}", given(0), given(1));
                return self.command_of_powershell(super::split(&line), None, state);
            }
            (None, "run" | "exec") if whole.contains("wscript") => {
                return self.command_of_powershell(super::split(&given(0)), None, state);
            }
            _ => {}
        }
        if let Some(found) = self.on_files(kind, of, &lower, args, state) {
            return found;
        }
        self.described(kind, &lower, args, state);
        output(kind, &lower, &whole, args)
    }

    /// A method that is looked up by its name and then called, and fields that only reflection reaches.
    fn by_reflection(
        &mut self,
        kind: Option<&str>,
        whole: &str,
        name: &str,
        args: &[Items],
        state: &mut State,
    ) -> Option<Items> {
        let given = args.first().map(|items| text(items)).unwrap_or_default().to_ascii_lowercase();
        match (kind, name) {
            (Some(kind), "getmethod") => Some(vec![format!("method:{kind}::{given}")]),
            (None, "invoke") => {
                let (kind, name) = whole.strip_prefix("method:")?.split_once("::")?;
                let words: Vec<Items> =
                    args.iter().skip(1).flatten().map(|item| vec![item.clone()]).collect();
                Some(self.method(&[format!("[{kind}]")], name, &words, state))
            }
            // What looks at scripts before they run, and whether it does.
            (_, "gettype" | "getfield") if given.contains("amsi") => {
                self.record(vec![Arg::new("amsi::switch"), Arg::new(given)], state);
                Some(vec![ANY.to_string()])
            }
            _ => None,
        }
    }

    /// Methods of a file or folder by itself, and those that list what is in one.
    fn on_files(
        &mut self,
        kind: Option<&str>,
        of: &[String],
        name: &str,
        args: &[Items],
        state: &mut State,
    ) -> Option<Items> {
        let lists =
            name.starts_with("getfile") || name.starts_with("getdirector") || name.starts_with("enumerate");
        match (kind, name) {
            (Some("io.directory"), _) if lists => {
                self.described(kind, name, args, state);
                let root = args.first().map(|items| text(items)).unwrap_or_default();
                let found =
                    args.get(1).map_or_else(|| crate::text::EACH.to_string(), |pattern| text(pattern));
                Some(vec![format!("{root}/{found}")])
            }
            // What they are methods of is their first word.
            (None, "delete" | "moveto" | "copyto") => {
                // `[IO.DirectoryInfo]::new(x)` is the folder.
                let bare = |item: &String| {
                    let made = [
                        "io.directoryinfo ",
                        "io.fileinfo ",
                        "system.io.directoryinfo ",
                        "system.io.fileinfo ",
                    ];
                    made.iter().find_map(|kind| item.strip_prefix(kind)).unwrap_or(item).to_owned()
                };
                let of: Items = of.iter().map(bare).collect();
                let own: Vec<Items> = std::iter::once(of).chain(args.iter().cloned()).collect();
                self.described(None, name, &own, state);
                Some(Items::new())
            }
            _ => None,
        }
    }

    /// Notes a method that does something: by its type, or by its name alone with what it is a method of as its first word.
    fn described(&mut self, kind: Option<&str>, name: &str, args: &[Items], state: &mut State) {
        // Those of COM take patterns.
        let glob = kind.is_none() && matches!(name, "deletefolder" | "deletefile");
        let words = args
            .iter()
            .flatten()
            .map(|text| Arg { glob: glob && text.contains(['*', '?']), ..Arg::new(text) });
        let by = match kind {
            Some(kind) => format!("{kind}::{name}"),
            None => format!("object::{name}"),
        };
        if crate::programs::find(&by).is_none() && HARMLESS.contains(&name) {
            return;
        }
        let argv: Argv = std::iter::once(Arg::new(by)).chain(words).collect();
        self.record(argv, state);
        // What was fetched lies there now.
        if name == "downloadfile" || name == "downloadfileasync" {
            let path = state.absolute(&args.get(1).map(|items| text(items)).unwrap_or_default());
            state.write(path, NET.to_string());
        }
        if kind == Some("io.file") && name.starts_with("write") {
            let path = state.absolute(&args.first().map(|items| text(items)).unwrap_or_default());
            state.write(path, args.get(1).map(|items| items.join("\n")).unwrap_or_default());
        }
    }

    /// Folders that .NET has names for.
    fn special_folder(&self, name: &str) -> String {
        let home = self.home().unwrap_or_else(|| "~".into());
        match name.to_ascii_lowercase().as_str() {
            "userprofile" | "personal" => home,
            "mydocuments" => home + "/Documents",
            "desktop" | "desktopdirectory" => home + "/Desktop",
            "applicationdata" => home + "/AppData/Roaming",
            "localapplicationdata" => home + "/AppData/Local",
            "startup" => home + "/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup",
            "commonstartup" => "C:/ProgramData/Microsoft/Windows/Start Menu/Programs/Startup".into(),
            "windows" => "C:/Windows".into(),
            "system" | "systemx86" => "C:/Windows/System32".into(),
            "programfiles" => "C:/Program Files".into(),
            "programfilesx86" => "C:/Program Files (x86)".into(),
            "commonapplicationdata" => "C:/ProgramData".into(),
            _ => ANY.to_string(),
        }
    }

    /// `%NAME%` in a text.
    pub(crate) fn percent(&mut self, text: &str, state: &State) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('%') {
            out.push_str(before);
            match after.split_once('%').filter(|(name, _)| {
                !name.is_empty()
                    && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'(' | b')'))
            }) {
                Some((name, tail)) => {
                    out.extend(self.variable(&format!("env:{name}"), state));
                    rest = tail;
                }
                None => {
                    out.push('%');
                    rest = after;
                }
            }
        }
        out + rest
    }
}

/// What a method gives that was noted.
fn output(kind: Option<&str>, name: &str, whole: &str, args: &[Items]) -> Items {
    let given = || args.iter().flatten().map(String::as_str).collect::<String>();
    if name.starts_with("download")
        || name.starts_with("getstring")
        || name.starts_with("getbytearray")
        || name.starts_with("getasync")
        || name == "openread"
        || name == "getresponse"
        || name == "readtoend"
    {
        return vec![NET.to_string()];
    }
    match kind {
        // An object by its type: what it was made of stays with it.
        Some(kind) if name == "new" => vec![format!("{kind} {}", given())],
        // A password by another door.
        Some("runtime.interopservices.marshal") => vec![crate::text::SECRET.to_string()],
        Some(_) => vec![holes(&given()) + &ANY.to_string()],
        None if HARMLESS.contains(&name) => vec![holes(whole) + &ANY.to_string()],
        None => vec![holes(whole) + &holes(&given()) + &ANY.to_string()],
    }
}

/// Methods that make text of text.
fn of_text(of: &[String], name: &str, args: &[Items]) -> Option<Items> {
    let given = |at: usize| args.get(at).map(|items| text(items)).unwrap_or_default();
    let number = |at: usize| given(at).parse::<usize>().ok();
    let each = |change: &dyn Fn(&str) -> String| Some(of.iter().map(|item| change(item)).collect::<Items>());
    let kind = text(of);
    match (kind.as_str(), name) {
        ("[string]", "join") => {
            return Some(vec![args.iter().skip(1).flatten().cloned().collect::<Vec<_>>().join(&given(0))]);
        }
        ("[string]", "concat") => return Some(vec![args.iter().flatten().cloned().collect()]),
        ("[string]", "format") => {
            let values: Items = args.iter().skip(1).flatten().cloned().collect();
            let mut whole = given(0);
            for (at, value) in values.iter().enumerate() {
                whole = whole.replace(&format!("{{{at}}}"), value);
                if whole.len() > LONGEST_TEXT {
                    return Some(vec![ANY.to_string()]);
                }
            }
            return Some(vec![whole]);
        }
        ("[regex]", "replace") => {
            return Some(vec![super::operate::replaced(&given(0), Some(&given(1)), Some(&given(2)))]);
        }
        ("[regex]", "escape" | "unescape") => return Some(vec![given(0)]),
        ("[convert]", "frombase64string") => {
            return Some(vec![if is_known(&given(0)) {
                format!("base64:{}", given(0))
            } else {
                holes(&given(0)) + &DECODED.to_string()
            }]);
        }
        ("[convert]", "toint32" | "toint16" | "tobyte" | "tochar") => {
            let base =
                number(1).and_then(|base| u32::try_from(base).ok()).filter(|base| (2..=36).contains(base));
            let value =
                base.and_then(|base| i64::from_str_radix(given(0).trim_start_matches("0x"), base).ok());
            return Some(vec![value.map_or_else(|| given(0), |value| value.to_string())]);
        }
        ("[array]", "reverse") => return Some(Items::new()),
        ("[unicode]" | "[utf8]" | "[ascii]" | "[default]" | "[bigendianunicode]", "getstring") => {
            let Some(bytes) = given(0).strip_prefix("base64:").and_then(crate::simulate::decode::base64)
            else {
                return Some(vec![holes(&given(0)) + &DECODED.to_string()]);
            };
            return Some(vec![if kind == "[unicode]" {
                super::wide(&bytes)
            } else {
                String::from_utf8_lossy(&bytes).into_owned()
            }]);
        }
        _ => {}
    }
    if kind.starts_with('[') {
        return None;
    }
    match name {
        "replace" => {
            let (old, new) = (given(0), given(1));
            (!old.is_empty()).then(|| {
                of.iter()
                    .map(|item| item.replace(&old, &new))
                    .filter(|item| item.len() <= LONGEST_TEXT)
                    .collect()
            })
        }
        "tolower" | "tolowerinvariant" => each(&|item| item.to_lowercase()),
        "toupper" | "toupperinvariant" => each(&|item| item.to_uppercase()),
        "tostring" | "tochararray" | "getenumerator" | "clone" => Some(of.to_vec()),
        "trim" => each(&|item| item.trim().to_owned()),
        "trimstart" => each(&|item| {
            item.trim_start_matches(|c| given(0).contains(c) || given(0).is_empty() && c == ' ').to_owned()
        }),
        "trimend" => each(&|item| {
            item.trim_end_matches(|c| given(0).contains(c) || given(0).is_empty() && c == ' ').to_owned()
        }),
        "split" => {
            let by = given(0);
            Some(
                of.iter()
                    .flat_map(|item| {
                        item.split(|c: char| by.contains(c)).map(str::to_owned).collect::<Items>()
                    })
                    .collect(),
            )
        }
        "substring" | "remove" | "insert" if of.len() == 1 && is_known(&of[0]) => {
            let letters: Vec<char> = of[0].chars().collect();
            let from = number(0)?.min(letters.len());
            let until =
                number(1).map_or(letters.len(), |count| from.saturating_add(count).min(letters.len()));
            Some(vec![match name {
                "substring" => letters[from..until].iter().collect(),
                "remove" => letters[..from].iter().chain(&letters[until..]).collect(),
                _ => {
                    letters[..from].iter().collect::<String>()
                        + &given(1)
                        + &letters[from..].iter().collect::<String>()
                }
            }])
        }
        _ => None,
    }
}
