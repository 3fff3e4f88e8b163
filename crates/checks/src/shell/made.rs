//! Other names that a command itself makes for what is there already: links, copies, mounts. What it does to such a name later, it
//! does to the thing.

use shell::Call;

use super::words::{has_flag, operands, value};

#[derive(Debug, Default)]
pub(super) struct Made {
    /// The new name and what it stands for, absolute.
    links: Vec<(String, String)>,
    copies: Vec<(String, String)>,
}

impl Made {
    /// Takes note of what this call makes.
    pub(super) fn note(&mut self, call: &Call) {
        let (links, values): (bool, &[&str]) = match call.program() {
            "ln" | "link" => (true, &["-S", "-t", "--suffix", "--target-directory"]),
            // Copies that are links, and a tree that is seen in another place.
            "cp" if has_flag(call, "ls", &["link", "symbolic-link"]) => (true, &["-S", "-t"]),
            "rsync" if has_flag(call, "l", &["link"]) => (true, &["-S", "-t"]),
            "mount" if call.has("--bind") || call.has("--rbind") || call.has("-o") => (true, &["-t", "-o"]),
            "cp" | "install" | "mv" | "rsync" => (false, &["-m", "-o", "-g", "-S", "-t"]),
            "cat" | "dd" => return self.note_copied_text(call),
            _ => return,
        };
        let words = operands(call.args(), values);
        let target = value(call, &["-t", "--target-directory"]);
        let (from, to) = match (target, words.split_last()) {
            (Some(target), _) => (words.as_slice(), target),
            // `ln -s /some/where/x`: here, under its own name.
            (None, Some((only, []))) if matches!(call.program(), "ln") => (std::slice::from_ref(only), "."),
            (None, Some((to, from))) => (from, to.text.as_str()),
            (None, None) => return,
        };
        for from in from {
            let thing = shell::path::absolute(&from.text, &call.cwd);
            let name = shell::path::absolute(to, &call.cwd);
            // A symbolic link is followed from where it lies.
            let symbolic = call.program() == "ln"
                && has_flag(call, "s", &["symbolic"])
                && !has_flag(call, "r", &["relative"]);
            let inside = format!("{name}/{}", shell::path::name(&from.text));
            let list = if links { &mut self.links } else { &mut self.copies };
            if symbolic && !from.text.starts_with('/') {
                let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
                list.push((inside, shell::path::absolute(&from.text, &name)));
                list.push((name.clone(), shell::path::absolute(&from.text, folder)));
            } else {
                // Whether the last word is a folder is not known here: both are names of it then.
                list.push((inside, thing.clone()));
                list.push((name, thing));
            }
        }
    }

    /// `cat plimsoll > x`, `dd if=plimsoll of=x`.
    fn note_copied_text(&mut self, call: &Call) {
        let absolute = |text: &str| shell::path::absolute(text, &call.cwd);
        let (from, to): (Vec<String>, Option<String>) = if call.program() == "dd" {
            let word = |name: &str| call.texts().find_map(|text| text.strip_prefix(name)).map(absolute);
            (word("if=").into_iter().collect(), word("of="))
        } else {
            let target = call.redirects.iter().find(|r| r.direction == shell::Direction::Write);
            (
                operands(call.args(), &[]).into_iter().map(|arg| absolute(&arg.text)).collect(),
                target.map(|redirect| absolute(&redirect.target.text)),
            )
        };
        if let (Some(to), [from]) = (to, from.as_slice()) {
            self.copies.push((to, from.clone()));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.copies.is_empty()
    }

    /// The thing that an absolute path leads to by way of the links; `None` where it goes by none.
    pub(super) fn followed(&self, path: &str) -> Option<String> {
        follow(&self.links, path)
    }

    /// What a file is a copy of, under whatever name.
    pub(super) fn original(&self, path: &str) -> Option<String> {
        let through = self.followed(path);
        let copied = follow(&self.copies, through.as_deref().unwrap_or(path));
        // A copy of a link, and a copy of a copy.
        let end = copied.as_deref().map(|path| self.followed(path).unwrap_or_else(|| path.to_owned()));
        end.or(through)
    }

    /// What a program that is called by its name alone was copied from.
    pub(super) fn originals_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let made = self.copies.iter().chain(&self.links);
        made.filter(move |(made, _)| shell::path::name(made) == name).map(|(_, thing)| thing.as_str())
    }
}

fn follow(names: &[(String, String)], path: &str) -> Option<String> {
    let mut at = path.to_owned();
    // A link to a link; a ring of them ends somewhere.
    for _ in 0..8 {
        let longest = names.iter().rev().filter(|(name, _)| shell::path::is_below(&at, name));
        let Some((name, thing)) = longest.max_by_key(|(name, _)| name.len()) else { break };
        let next = format!("{thing}{}", &at[name.trim_end_matches('/').len()..]);
        if next == at {
            break;
        }
        at = next;
    }
    (at != path).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shell::Arg;

    fn made(lines: &[&str]) -> Made {
        let mut made = Made::default();
        for line in lines {
            let argv = line.split_whitespace().map(Arg::new).collect();
            made.note(&Call { argv, cwd: "/p".into(), ..Call::default() });
        }
        made
    }

    #[test]
    fn a_link_is_followed_from_where_it_lies() {
        for (lines, path, thing) in [
            (&["ln -s .claude y"][..], "/p/y/settings.json", "/p/.claude/settings.json"),
            (&["ln -s ../.claude sub/y"], "/p/sub/y/settings.json", "/p/.claude/settings.json"),
            (&["ln .claude/settings.json y"], "/p/y", "/p/.claude/settings.json"),
            (&["ln -s a b", "ln -s b c"], "/p/c/x", "/p/a/x"),
            (&["ln -s /home/me/.local/bin/plimsoll"], "/p/plimsoll", "/home/me/.local/bin/plimsoll"),
            (&["cp -al .claude y"], "/p/y/settings.json", "/p/.claude/settings.json"),
            (&["mount --bind .claude y"], "/p/y/hooks/a", "/p/.claude/hooks/a"),
            (&["ln -st d .claude"], "/p/d/.claude/x", "/p/d/.claude/x"),
        ] {
            assert_eq!(made(lines).followed(path).as_deref().unwrap_or(path), thing, "{lines:?}");
        }
    }

    #[test]
    fn a_copy_of_a_copy_is_a_copy() {
        let copies = made(&["cp /b/plimsoll x", "cp x z", "dd if=z of=w"]);
        for path in ["/p/x", "/p/z", "/p/w"] {
            assert_eq!(copies.original(path).as_deref(), Some("/b/plimsoll"), "{path}");
        }
        assert_eq!(copies.followed("/p/x"), None, "writing to a copy leaves the thing alone");
        assert_eq!(copies.original("/p/other"), None);
    }

    #[test]
    fn a_ring_of_links_ends() {
        // Wherever: there is no such file.
        let _ = made(&["ln -s a b", "ln -s b a"]).followed("/p/a/x");
    }
}
