//! Other names that a command itself makes for what is there already: links, copies, mounts. What it does to such a name later, it
//! does to the thing.

use model::deed::{Object, Verb, Verbs};
use shell::Call;
use shell::programs::{Landing, Role, landings};

/// What a call does that makes a name.
const NAMING: Verbs = Verbs::NONE
    .with(Verb::Writes)
    .with(Verb::Empties)
    .with(Verb::Edits)
    .with(Verb::Appends)
    .with(Verb::Moves)
    .with(Verb::Deletes)
    .with(Verb::Links)
    .with(Verb::Covers)
    .with(Verb::Sends);

#[derive(Debug, Default)]
pub(crate) struct Made {
    /// The new name and what it stands for, absolute.
    links: Vec<(String, String)>,
    copies: Vec<(String, String)>,
}

impl Made {
    /// Takes note of what this call makes.
    pub(crate) fn note(&mut self, call: &Call) {
        if !call.verbs().has_any(NAMING) {
            return;
        }
        let absolute = |text: &str| shell::path::absolute(text, &call.cwd);
        let landed = landings(call);
        for Landing { from, to, how } in &landed {
            let name = absolute(to);
            let inside = format!("{name}/{}", shell::path::name(from));
            // A symbolic link is followed from where it lies. Whether the last word is a folder is not known here: both are names of
            // it then.
            let (here, there) = if *how == Role::Symlink && !from.starts_with('/') {
                let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
                (shell::path::absolute(from, folder), shell::path::absolute(from, &name))
            } else {
                (absolute(from), absolute(from))
            };
            let list =
                if matches!(how, Role::Link | Role::Symlink) { &mut self.links } else { &mut self.copies };
            list.push((inside, there));
            list.push((name, here));
        }
        if landed.is_empty() {
            self.note_copied_text(call);
        }
    }

    /// A link that came in some other way.
    pub(super) fn link(&mut self, name: &str, thing: &str) {
        self.links.push((name.to_owned(), thing.to_owned()));
    }

    /// `cat plimsoll > x`, `dd if=plimsoll of=x`: one is read and one written.
    fn note_copied_text(&mut self, call: &Call) {
        let paths = |verb: Verb| {
            let deeds = call.deeds.iter().filter(move |deed| deed.verb == verb);
            deeds.filter(|deed| matches!(deed.object, Object::Path { .. })).map(|deed| deed.object.text())
        };
        if let (Some(from), None, Some(to)) =
            (paths(Verb::Reads).next(), paths(Verb::Reads).nth(1), paths(Verb::Writes).next())
        {
            let absolute = |text: &str| shell::path::absolute(text, &call.cwd);
            self.copies.push((absolute(to), absolute(from)));
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
    pub(crate) fn original(&self, path: &str) -> Option<String> {
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

    struct InP;

    impl shell::World for InP {
        fn home(&self) -> Option<String> {
            None
        }
        fn cwd(&self) -> String {
            "/p".into()
        }
        fn read(&self, _: &str) -> Option<String> {
            None
        }
        fn var(&self, _: &str) -> Option<String> {
            None
        }
    }

    fn made(lines: &[&str]) -> Made {
        let mut made = Made::default();
        for line in lines {
            for call in shell::read(line, &InP).calls {
                made.note(&call);
            }
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
