//! Who started this process: the processes above it, nearest first. A process is known by its number and by when it began, because
//! numbers are used again.

/// One process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// In whatever count the system keeps; it only has to differ.
    pub began: u64,
    /// The program's short name.
    pub name: String,
    /// It has a terminal of its own.
    pub has_terminal: bool,
}

/// The processes that there are. Tests make them up.
pub trait Processes {
    /// `None` where there is no such process, or where it cannot be looked at.
    fn get(&self, pid: u32) -> Option<Process>;
}

/// Nobody is this deep.
const DEEPEST: usize = 64;

/// The processes above `pid`, nearest first, as far as they can be seen.
pub fn above(processes: &dyn Processes, pid: u32) -> Vec<Process> {
    let mut chain: Vec<Process> = Vec::new();
    let mut next = processes.get(pid).map_or(0, |process| process.parent);
    while next > 1 && chain.len() < DEEPEST {
        let Some(process) = processes.get(next) else { break };
        next = process.parent;
        chain.push(process);
    }
    chain
}

/// Whether this process only passes others on: a shell, or what a command is wrapped in.
pub fn passes_on(process: &Process) -> bool {
    let name = process.name.trim_start_matches('-');
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "fish"
            | "ksh"
            | "mksh"
            | "ash"
            | "busybox"
            | "env"
            | "nice"
            | "timeout"
            | "sudo"
            | "doas"
            | "setsid"
            | "nohup"
            | "stdbuf"
            | "time"
            | "xargs"
            | "script"
            | "unbuffer"
            | "cmd.exe"
            | "powershell.exe"
            | "pwsh"
    )
}

/// The machine's own.
#[derive(Debug, Default)]
pub struct Live {
    #[cfg(all(unix, not(target_os = "linux")))]
    listed: std::cell::OnceCell<std::collections::BTreeMap<u32, Process>>,
}

#[cfg(target_os = "linux")]
impl Processes for Live {
    fn get(&self, pid: u32) -> Option<Process> {
        parse_stat(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }
}

/// `pid (name) state parent group session terminal … began …`; the name may hold anything.
#[cfg(any(target_os = "linux", test))]
fn parse_stat(pid: u32, text: &str) -> Option<Process> {
    let (head, rest) = text.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Process {
        pid,
        parent: fields.get(1)?.parse().ok()?,
        began: fields.get(19)?.parse().ok()?,
        name,
        has_terminal: fields.get(4).is_some_and(|number| *number != "0"),
    })
}

#[cfg(all(unix, not(target_os = "linux")))]
impl Processes for Live {
    fn get(&self, pid: u32) -> Option<Process> {
        // One list for all: each look by itself would start a program.
        let listed = self.listed.get_or_init(|| {
            let columns = ["-axo", "pid=,ppid=,tty=,lstart=,comm="];
            let list = std::process::Command::new("/bin/ps").args(columns).env("LC_ALL", "C").output();
            let text =
                list.map(|list| String::from_utf8_lossy(&list.stdout).into_owned()).unwrap_or_default();
            text.lines().filter_map(parse_listed).map(|process| (process.pid, process)).collect()
        });
        listed.get(&pid).cloned()
    }
}

/// `pid parent terminal Tue Nov 17 01:02:03 2026 /path/of/the program`.
#[cfg(any(all(unix, not(target_os = "linux")), test))]
fn parse_listed(line: &str) -> Option<Process> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let words: Vec<&str> = line.split_whitespace().collect();
    let (began, command) = (words.get(3..8)?, words.get(8..)?.join(" "));
    let mut hasher = DefaultHasher::new();
    began.hash(&mut hasher);
    Some(Process {
        pid: words[0].parse().ok()?,
        parent: words[1].parse().ok()?,
        began: hasher.finish(),
        name: command.rsplit('/').next().unwrap_or_default().to_owned(),
        has_terminal: !words[2].trim_matches(['?', '-']).is_empty(),
    })
}

#[cfg(not(unix))]
impl Processes for Live {
    fn get(&self, _: u32) -> Option<Process> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Made;

    #[test]
    fn the_chain_ends_at_the_top_and_in_a_ring() {
        let table = Made(vec![(9, 7, "plimsoll"), (7, 5, "sh"), (5, 1, "claude")]);
        let names: Vec<_> = above(&table, 9).into_iter().map(|process| process.name).collect();
        assert_eq!(names, ["sh", "claude"]);
        assert_eq!(above(&table, 100), []);
        assert_eq!(above(&Made(vec![(2, 3, "a"), (3, 2, "b")]), 2).len(), DEEPEST);
    }

    #[test]
    fn what_the_systems_say_is_read() {
        let stat = "42 (a) b (c) S 7 42 42 34816 42 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 9";
        let process = parse_stat(42, stat).unwrap();
        assert_eq!((process.parent, process.began, process.name.as_str()), (7, 123_456, "a) b (c"));
        assert!(process.has_terminal);
        let listed =
            parse_listed("  501     1 ??  Tue Nov 17 01:02:03 2026 /Applications/My App.app/claude").unwrap();
        assert_eq!((listed.pid, listed.parent, listed.name.as_str()), (501, 1, "claude"));
        assert!(!listed.has_terminal);
        let other = parse_listed("501 1 ttys001 Tue Nov 17 01:02:04 2026 claude").unwrap();
        assert_ne!(listed.began, other.began);
        assert_eq!(parse_listed("x"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_parent() {
        let chain = above(&Live::default(), std::process::id());
        assert!(!chain.is_empty());
        assert!(chain.iter().all(|process| process.began > 0));
    }
}
