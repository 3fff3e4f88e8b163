//! Notifications on the desktop. The text is an argument of a program, never a part of a script.

use std::io;
use std::process::{Command, Stdio};

use model::{Urgency, environment};

use crate::Machine;
use crate::reach::Fence;

/// Shows it with what there is; nothing where there is nothing. Nobody waits for it.
pub fn show(machine: &Machine, title: &str, text: &str, urgency: Urgency) -> io::Result<()> {
    let Some((name, args)) = program(machine, title, text, urgency) else { return Ok(()) };
    // The user's own, not one that a project has put where PATH leads.
    let fence = Fence::around(machine, &machine.cwd());
    let Some(program) = fence.program_outside(machine, name) else { return Ok(()) };
    let mut command = Command::new(program);
    // What follows a command of PowerShell is taken for more of it, so that its texts come by way of the environment.
    command.env(TITLE, title).env(TEXT, text);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map(drop)
}

/// What is run. By which programs are there, so that one rule serves every system.
fn program(
    machine: &Machine,
    title: &str,
    text: &str,
    urgency: Urgency,
) -> Option<(&'static str, Vec<String>)> {
    let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let sound = match urgency {
        Urgency::Asks => "Ping",
        Urgency::Waits => "Glass",
    };
    let has = |name: &str| machine.find_program(name).is_some();
    if has("terminal-notifier") {
        let mut args = own(&["-title", title, "-message", text, "-sound", sound]);
        if let Some(bundle) = machine.var(&environment::TERM_PROGRAM).and_then(|name| bundle(&name)) {
            args.extend(own(&["-activate", bundle]));
        }
        return Some(("terminal-notifier", args));
    }
    if has("osascript") {
        // The script takes its texts from its arguments.
        let script = "on run argv\ndisplay notification (item 1 of argv) with title (item 2 of argv) sound name (item 3 of argv)\nend run";
        return Some(("osascript", own(&["-e", script, "--", text, title, sound])));
    }
    if has("notify-send") {
        let level = if urgency == Urgency::Asks { "critical" } else { "normal" };
        return Some(("notify-send", own(&["--app-name=plimsoll", "--urgency", level, "--", title, text])));
    }
    if has("powershell.exe") {
        return Some(("powershell.exe", own(&["-NoProfile", "-NonInteractive", "-Command", TOAST])));
    }
    None
}

/// Terminals by the name that they give themselves.
fn bundle(name: &str) -> Option<&'static str> {
    Some(match name {
        "Apple_Terminal" => "com.apple.Terminal",
        "iTerm.app" => "com.googlecode.iterm2",
        "vscode" => "com.microsoft.VSCode",
        "ghostty" => "com.mitchellh.ghostty",
        "WezTerm" => "com.github.wez.wezterm",
        _ => return None,
    })
}

const TITLE: &str = "PLIMSOLL_NOTIFY_TITLE";
const TEXT: &str = "PLIMSOLL_NOTIFY_TEXT";

/// A toast whose texts are set as nodes.
const TOAST: &str = "\
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]; \
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02); \
$nodes = $xml.GetElementsByTagName('text'); \
[void]$nodes.Item(0).AppendChild($xml.CreateTextNode($env:PLIMSOLL_NOTIFY_TITLE)); [void]$nodes.Item(1).AppendChild($xml.CreateTextNode($env:PLIMSOLL_NOTIFY_TEXT)); \
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('Plimsoll').Show([Windows.UI.Notifications.ToastNotification]::new($xml))";

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn run_with(programs: &[&str], variables: &[(&str, &str)]) -> Option<(&'static str, Vec<String>)> {
        run_for(Urgency::Asks, programs, variables)
    }

    fn run_for(
        urgency: Urgency,
        programs: &[&str],
        variables: &[(&str, &str)],
    ) -> Option<(&'static str, Vec<String>)> {
        let dir = tempfile::tempdir().unwrap();
        for name in programs {
            let file = dir.path().join(name);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = dir.path().to_string_lossy().into_owned();
        let mut all = vec![("PATH", path.as_str())];
        all.extend_from_slice(variables);
        program(&Machine::with(&all, dir.path()), "T", "a \"b\" $(c)", urgency)
    }

    #[test]
    fn each_system_has_its_program_and_the_text_is_an_argument() {
        assert_eq!(run_with(&[], &[]), None);
        let (name, args) = run_with(&["notify-send"], &[]).unwrap();
        assert_eq!(
            (name, args.join("|").as_str()),
            ("notify-send", "--app-name=plimsoll|--urgency|critical|--|T|a \"b\" $(c)")
        );
        let (name, args) = run_with(&["osascript", "notify-send"], &[]).unwrap();
        assert_eq!(
            (name, &args[3..]),
            ("osascript", &["a \"b\" $(c)".to_owned(), "T".into(), "Ping".into()][..])
        );
        assert!(!args[1].contains("$(c)"));
        let (name, args) =
            run_with(&["terminal-notifier", "osascript"], &[("TERM_PROGRAM", "iTerm.app")]).unwrap();
        assert_eq!(
            (name, args[6..].join(" ").as_str()),
            ("terminal-notifier", "-activate com.googlecode.iterm2")
        );
        assert!(args.contains(&"Ping".to_owned()));
        // Somebody who only waits calls more quietly.
        for programs in [&["terminal-notifier"], &["osascript"]] {
            let (name, args) = run_for(Urgency::Waits, programs, &[]).unwrap();
            assert!(args.contains(&"Glass".to_owned()), "{name}: {args:?}");
        }
        let (_, args) = run_for(Urgency::Waits, &["notify-send"], &[]).unwrap();
        assert!(args.contains(&"normal".to_owned()), "{args:?}");
        let (name, args) = run_with(&["powershell.exe"], &[]).unwrap();
        assert_eq!(name, "powershell.exe");
        assert!(args.iter().all(|arg| !arg.contains("$(c)")));
    }
}
