//! A path of a tool's arguments as one on this machine, whatever its spelling.

use std::borrow::Cow;
use std::path::Path;

use model::Facts;

/// What stands for the home or a folder below it.
const FROM_HOME: &[(&str, &str)] = &[
    ("~", ""),
    ("$HOME", ""),
    ("${HOME}", ""),
    ("$env:USERPROFILE", ""),
    ("$env:HOME", ""),
    ("$env:APPDATA", "/AppData/Roaming"),
    ("$env:LOCALAPPDATA", "/AppData/Local"),
    ("%USERPROFILE%", ""),
    ("%APPDATA%", "/AppData/Roaming"),
    ("%LOCALAPPDATA%", "/AppData/Local"),
];

/// Absolute, with `~`, the variables for a home, `file:` and backslashes understood.
pub(super) fn absolute(text: &str, cwd: &str, facts: &dyn Facts) -> String {
    // Most are that already.
    let plain = text.starts_with('/') && !text.contains("//") && !text.contains("/.") && !text.contains('\\');
    if plain {
        let path = text.trim_end_matches('/');
        return if path.is_empty() { "/" } else { path }.to_owned();
    }
    let text = slashed(text);
    let home = facts.home().map(|home| home.to_string_lossy().into_owned()).unwrap_or_default();
    let from_home = FROM_HOME.iter().find_map(|(name, below)| {
        // Windows does not look at the case of a variable's name.
        let (start, rest) = text.split_at_checked(name.len())?;
        let named = start.eq_ignore_ascii_case(name) && (rest.is_empty() || rest.starts_with('/'));
        named.then_some((*below, rest))
    });
    let path: Cow<'_, str> = match from_home {
        Some((below, rest)) => format!("{home}{below}{rest}").into(),
        // Somebody else's.
        None if text.starts_with('~') => format!("/home/{}", &text[1..]).into(),
        None => text,
    };
    shell::path::absolute(&path, cwd)
}

/// With the slashes that this machine has, where the others are what separates.
fn slashed(text: &str) -> Cow<'_, str> {
    let of_windows =
        || text.contains('%') || text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("$env:"));
    let separates = text.contains("\\.") || text.contains('\\') && of_windows();
    if separates && !text.starts_with("\\\\") { text.replace('\\', "/").into() } else { text.into() }
}

/// The same with links followed, where that is another path.
pub(super) fn followed(path: &str, facts: &dyn Facts) -> Option<String> {
    let real = facts.resolve(Path::new(path));
    (real.as_os_str() != path).then(|| real.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::Table;

    #[test]
    fn every_spelling_is_one_path() {
        let table = Table::default();
        for (text, path) in [
            ("~/.ssh/id_rsa", "/home/me/.ssh/id_rsa"),
            ("$HOME/.ssh/id_rsa", "/home/me/.ssh/id_rsa"),
            ("${HOME}/x", "/home/me/x"),
            ("%USERPROFILE%\\.ssh\\id_rsa", "/home/me/.ssh/id_rsa"),
            ("%UserProfile%\\.ssh\\id_rsa", "/home/me/.ssh/id_rsa"),
            ("%APPDATA%\\gcloud\\credentials.db", "/home/me/AppData/Roaming/gcloud/credentials.db"),
            ("$env:LocalAppData\\x\\y", "/home/me/AppData/Local/x/y"),
            ("$Env:UserProfile\\x", "/home/me/x"),
            ("%APPDATAX%\\x", "/home/me/project/%APPDATAX%/x"),
            ("C:\\Users\\me\\.ssh\\id_rsa", "/mnt/c/Users/me/.ssh/id_rsa"),
            ("../x", "/home/me/x"),
            ("/a//b/./c/../d", "/a/b/d"),
            ("~other/.ssh/id_rsa", "/home/other/.ssh/id_rsa"),
            ("src/app.py", "/home/me/project/src/app.py"),
            ("~", "/home/me"),
            ("/", "/"),
            ("/etc/", "/etc"),
        ] {
            assert_eq!(absolute(text, "/home/me/project", &table), path, "{text}");
        }
    }
}
