//! One thing that a rule may be about, a call of a program or of a tool, and whether a rule fits it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::Path;

use model::deed::{Certainty, Deed, Object, Place as Where, Verb, Verbs};
use model::rule::{self, Book, Fit, Install, Key, Line, Mcp, Number, Rule, Text, Touch};
use model::{Body, Event, PermissionMode};
use serde_json::Value as Json;
use shell::Call;
use shell::programs::Role;

use super::added::{self, Adding};
use super::call as calls;
use super::call::Word;
use super::ground::Ground;
use super::path::Place;
use crate::Context;

/// A call with what it does.
#[derive(Clone, Debug)]
pub(super) struct Scene<'a> {
    /// `None` for a tool that is no shell.
    pub(super) call: Option<&'a Call>,
    deeds: &'a [Deed],
    cwd: Cow<'a, str>,
    /// The paths of its deeds, each worked out once for all rules.
    places: OnceCell<Vec<OnceCell<Option<Place<'a>>>>>,
    /// Its words that are no options.
    spoken: OnceCell<Vec<Word<'a>>>,
    /// Files that get lines.
    adding: OnceCell<Vec<Adding>>,
}

pub(super) const WRITING: Verbs = Verbs::NONE
    .with(Verb::Writes)
    .with(Verb::Appends)
    .with(Verb::Edits)
    .with(Verb::Empties)
    .with(Verb::Moves)
    .with(Verb::Links)
    .with(Verb::Deletes);
pub(super) const READING: Verbs = Verbs::NONE.with(Verb::Reads).with(Verb::Uses).with(Verb::Sends);
pub(super) const DELETING: Verbs =
    Verbs::NONE.with(Verb::Deletes).with(Verb::Empties).with(Verb::Erases).with(Verb::Moves);

/// All of these.
pub(super) const PATHS: Verbs =
    WRITING.with(Verb::Reads).with(Verb::Uses).with(Verb::Sends).with(Verb::Erases);

pub(super) const TOUCHES: [(Touch, Verbs); 3] =
    [(Touch::Write, WRITING), (Touch::Read, READING), (Touch::Delete, DELETING)];

impl<'a> Scene<'a> {
    pub(super) fn of_call(call: &'a Call) -> Self {
        Self::new(Some(call), &call.deeds, Cow::Borrowed(&call.cwd))
    }

    fn new(call: Option<&'a Call>, deeds: &'a [Deed], cwd: Cow<'a, str>) -> Self {
        let (places, spoken, adding) = Default::default();
        Self { call, deeds, cwd, places, spoken, adding }
    }

    /// What the event's tool does besides running commands.
    pub(super) fn of_tool(event: &'a Event, cx: &Context<'a>) -> Self {
        let cwd = event.cwd.as_deref().map_or_else(|| cx.project().into(), Path::to_string_lossy);
        Self::new(None, cx.deeds(event), cwd)
    }

    fn verbs(&self) -> Verbs {
        self.call.map_or_else(|| self.deeds.iter().map(|deed| deed.verb).collect(), Call::verbs)
    }

    pub(super) fn spoken(&self) -> &[Word<'a>] {
        self.spoken.get_or_init(|| self.call.map(calls::spoken).unwrap_or_default())
    }

    pub(super) fn adding(&self, event: &Event, cx: &Context<'_>) -> &[Adding] {
        self.adding.get_or_init(|| added::all(event, cx))
    }

    /// The rules that may be about what it does; which program does it is looked up elsewhere.
    pub(super) fn collect(
        &self,
        book: &Book,
        ground: &mut Ground,
        cx: &Context<'_>,
        found: &mut Vec<Number>,
    ) {
        let verbs = self.verbs();
        if !ground.concerns(verbs) {
            return;
        }
        for (touch, wanted) in TOUCHES {
            if !verbs.has_any(wanted) || !book.has_paths(touch) {
                continue;
            }
            for (at, deed) in self.deeds.iter().enumerate().filter(|(_, deed)| wanted.has(deed.verb)) {
                if !ground.is_out_of_reach(touch, deed, &self.cwd, book, cx)
                    && let Some(place) = self.place_of(at, cx)
                {
                    place.collect(touch, book, cx, found);
                }
            }
        }
        for (line, verb) in [(Line::Fetch, Verb::Fetches), (Line::Send, Verb::Sends)] {
            if !verbs.has(verb) || !book.has(Key::EachHost(line)) {
                continue;
            }
            for host in self.hosts_of(verb) {
                if shell::text::is_known(&host) {
                    book.about_host(line, &host, found);
                } else {
                    book.about(Key::EachHost(line), found);
                }
            }
        }
        if verbs.has(Verb::Installs) && book.has(Key::EachPackage) {
            self.packages(book, found);
        }
        if book.has(Key::Sql) && self.has_object(|object| matches!(object, Object::Statement(_))) {
            book.about(Key::Sql, found);
        }
        let changes_refs =
            || verbs.has(Verb::Publishes) || self.has_object(|object| matches!(object, Object::Ref(_)));
        if book.has(Key::Refs) && changes_refs() {
            book.about(Key::Refs, found);
        }
    }

    fn has_object(&self, is: fn(&Object) -> bool) -> bool {
        self.deeds.iter().any(|deed| is(&deed.object))
    }

    fn packages(&self, book: &Book, found: &mut Vec<Number>) {
        book.about(Key::AnyPackage, found);
        for deed in self.deeds.iter().filter(|deed| deed.verb == Verb::Installs) {
            let Object::Package(text) = &deed.object else { continue };
            if !shell::text::is_known(text) {
                return book.about(Key::EachPackage, found);
            }
            book.about(Key::Package(text), found);
            book.about(Key::Package(unversioned(text)), found);
        }
    }

    /// Whether everything that the rule says holds here.
    pub(super) fn fits(&self, rule: &Rule, event: &Event, cx: &Context<'_>) -> Fit {
        let when = &rule.when;
        let mut fit = Fit::Yes;
        let mut and = |next: &dyn Fn() -> Fit| {
            if fit > Fit::No {
                fit = fit.min(next());
            }
        };
        if let Some(wanted) = &when.call {
            and(&|| self.call.map_or(Fit::No, |call| calls::fits(wanted, call, self.spoken(), cx)));
        }
        if let Some(wanted) = &when.mcp {
            and(&|| mcp(wanted, event));
        }
        // With `adds` a path is that of the file that gets the lines.
        if when.adds.is_none()
            && let Some(wanted) = &when.write
        {
            and(&|| self.paths(WRITING, wanted, cx));
        }
        for (verbs, wanted) in [(READING, &when.read), (DELETING, &when.delete)] {
            if let Some(wanted) = wanted {
                and(&|| self.paths(verbs, wanted, cx));
            }
        }
        for (verb, wanted) in [(Verb::Fetches, &when.fetch), (Verb::Sends, &when.send)] {
            if let Some(wanted) = wanted {
                and(&|| self.hosts(verb, wanted));
            }
        }
        if let Some(wanted) = &when.install {
            and(&|| self.installs(wanted));
        }
        if let Some(wanted) = &when.sql {
            let wanted = in_small_letters(wanted);
            and(&|| {
                self.objects(|object| match object {
                    Object::Statement(text) => Some(wanted.fits(&text.trim().to_lowercase())),
                    _ => None,
                })
            });
        }
        if let Some(wanted) = &when.refs {
            and(&|| self.refs(wanted, cx));
        }
        if let Some(wanted) = &when.adds {
            let fits = |file: &Adding| file.fits(wanted, when.write.as_ref(), cx);
            and(&|| self.adding(event, cx).iter().map(fits).max().unwrap_or_default());
        }
        if let Some(wanted) = &when.prompt {
            and(&|| match &event.body {
                Body::Prompt(prompt) => wanted.fits(&prompt.text),
                _ => Fit::No,
            });
        }
        and(&|| self.frame(&when.frame, event, cx));
        fit
    }

    fn objects(&self, fits: impl Fn(&Object) -> Option<Fit>) -> Fit {
        let certain = |deed: &Deed| {
            let fit = fits(&deed.object)?;
            Some(if deed.certainty == Certainty::Known { fit } else { fit.min(Fit::Perhaps) })
        };
        self.deeds.iter().filter_map(certain).max().unwrap_or_default()
    }

    fn paths(&self, verbs: Verbs, wanted: &Text, cx: &Context<'_>) -> Fit {
        let fits = |(at, deed): (usize, &Deed)| {
            let fit = self.place_of(at, cx).map_or(Fit::No, |place| place.fits(wanted, cx));
            if deed.certainty == Certainty::Known { fit } else { fit.min(Fit::Perhaps) }
        };
        let deeds = self.deeds.iter().enumerate().filter(|(_, deed)| verbs.has(deed.verb));
        deeds.map(fits).max().unwrap_or_default()
    }

    fn place_of(&self, nth: usize, cx: &Context<'_>) -> Option<&Place<'a>> {
        let places = self.places.get_or_init(|| vec![OnceCell::new(); self.deeds.len()]);
        let (place, deed) = places.get(nth).zip(self.deeds.get(nth))?;
        place.get_or_init(|| self.place(deed, cx)).as_ref()
    }

    fn place(&self, deed: &'a Deed, cx: &Context<'_>) -> Option<Place<'a>> {
        let Object::Path { text, tree, .. } = &deed.object else { return None };
        if !PATHS.has(deed.verb) || text.is_empty() {
            return None;
        }
        let here: Cow<'a, str> = match (self.call, deed.place) {
            (_, Where::Here) => text.into(),
            // Of a container what it was given of this machine.
            (Some(call), _) => crate::shell::on_this_machine(call, text)?.into(),
            (None, _) => return None,
        };
        Some(Place::new(here, &self.cwd, *tree, cx))
    }

    fn hosts(&self, verb: Verb, wanted: &Text) -> Fit {
        self.hosts_of(verb).map(|host| wanted.fits(&host)).max().unwrap_or_default()
    }

    /// What a call sends goes where it asks for something: `curl -d x https://…`, `nc host < file`.
    fn hosts_of(&self, verb: Verb) -> impl Iterator<Item = String> {
        let goes_there = verb == Verb::Sends && self.verbs().has(Verb::Sends);
        let asks = |deed: &Deed| {
            deed.verb == Verb::Fetches || deed.verb == Verb::Queries && matches!(deed.object, Object::Host(_))
        };
        let is_meant = move |deed: &&Deed| deed.verb == verb || goes_there && asks(deed);
        self.deeds.iter().filter(is_meant).filter_map(host)
    }

    fn installs(&self, wanted: &Install) -> Fit {
        let from = self.call.and_then(|call| call.words().entry?.registry);
        let from = from.map_or(Fit::No, |registry| {
            wanted.from.as_ref().map_or(Fit::Yes, |wanted| wanted.fits(registry.word()))
        });
        let from = if wanted.from.is_none() { Fit::Yes } else { from };
        let package = self.deeds.iter().filter(|deed| deed.verb == Verb::Installs).map(|deed| {
            let Object::Package(text) = &deed.object else { return Fit::No };
            wanted
                .package
                .as_ref()
                .map_or(Fit::Yes, |wanted| wanted.fits(text).max(wanted.fits(unversioned(text))))
        });
        from.min(package.max().unwrap_or_default())
    }

    /// Branches and tags that the call changes here, or that it changes on the other side.
    fn refs(&self, wanted: &Text, cx: &Context<'_>) -> Fit {
        let here = || {
            let folder = self.call.map_or_else(|| self.cwd.to_string(), shell::programs::repository);
            cx.facts.repository(Path::new(&folder)).and_then(|found| found.branch)
        };
        let fits = |text: &str| match text.trim_start_matches('+') {
            // All of them.
            "*" => Fit::Yes,
            "HEAD" | "@" => here().map_or(Fit::No, |branch| wanted.fits(&branch)),
            name => wanted.fits(name).max(wanted.fits(bare_ref(name))),
        };
        let named = self.deeds.iter().filter_map(|deed| match &deed.object {
            Object::Ref(text) => Some(fits(text)),
            _ => None,
        });
        let named = named.max().unwrap_or_default();
        let Some(call) = self.call.filter(|call| named < Fit::Yes && call.does(Verb::Publishes)) else {
            return named;
        };
        let mut specs = call.with_role(Role::Refspec).peekable();
        let sent = match specs.peek() {
            None => fits("HEAD"),
            Some(_) => {
                specs.map(|spec| fits(spec.rsplit(':').next().unwrap_or(spec))).max().unwrap_or_default()
            }
        };
        named.max(sent)
    }

    fn frame(&self, wanted: &rule::Frame, event: &Event, cx: &Context<'_>) -> Fit {
        let of = |wanted: &Option<Text>, text: &dyn Fn() -> Fit| wanted.as_ref().map_or(Fit::Yes, |_| text());
        let like =
            |wanted: &Option<Text>, text: &str| wanted.as_ref().map_or(Fit::Yes, |wanted| wanted.fits(text));
        let tool = event.tool_use().map_or("", |use_| use_.name.as_str());
        let fit = like(&wanted.tool, tool)
            .min(like(&wanted.agent, event.agent.0))
            .min(like(&wanted.mode, mode(&event.mode)))
            .min(like(&wanted.profile, cx.config.profile.as_str()));
        if fit == Fit::No {
            return fit;
        }
        let cwd = self.works_in();
        let place = || Place::new(&*cwd, cx.project(), false, cx);
        let fit = fit.min(of(&wanted.cwd, &|| {
            wanted.cwd.as_ref().map_or(Fit::Yes, |wanted| place().fits(wanted, cx))
        }));
        if fit == Fit::No {
            return fit;
        }
        fit.min(of(&wanted.branch, &|| {
            if !shell::text::is_known(&cwd) {
                return Fit::Perhaps;
            }
            let branch = cx.facts.repository(Path::new(&*cwd)).and_then(|repository| repository.branch);
            branch.map_or(Fit::No, |branch| like(&wanted.branch, &branch))
        }))
    }

    /// Where it works: where it starts, or where an option sends it.
    fn works_in(&self) -> Cow<'_, str> {
        let Some(call) = self.call else { return Cow::Borrowed(&self.cwd) };
        let mut cwd = Cow::Borrowed(&*self.cwd);
        for dir in call.with_role(Role::Dir) {
            cwd = shell::path::absolute(dir, &cwd).into();
        }
        cwd
    }
}

fn host(deed: &Deed) -> Option<String> {
    match &deed.object {
        Object::Address(text) => Some(shell::address::host(text)),
        Object::Host(text) => Some(text.to_ascii_lowercase()),
        _ => None,
    }
}

fn in_small_letters(text: &Text) -> Text {
    let lower = |list: &[String]| list.iter().map(|one| one.to_lowercase()).collect();
    Text { like: lower(&text.like), unlike: lower(&text.unlike) }
}

fn bare_ref(text: &str) -> &str {
    let text = text.strip_prefix("refs/heads/").or_else(|| text.strip_prefix("refs/tags/")).unwrap_or(text);
    text.strip_prefix("origin/").unwrap_or(text)
}

/// `left-pad@1.0`, `requests==2`
fn unversioned(text: &str) -> &str {
    let from = usize::from(text.starts_with('@'));
    let end = text[from..].find(['@', '=', '<', '>', '~', '!', '[']).map_or(text.len(), |at| at + from);
    &text[..end]
}

fn mode(mode: &PermissionMode) -> &str {
    match mode {
        PermissionMode::Default => "default",
        PermissionMode::AcceptEdits => "acceptEdits",
        PermissionMode::Plan => "plan",
        PermissionMode::Auto => "auto",
        PermissionMode::DontAsk => "dontAsk",
        PermissionMode::BypassPermissions => "bypassPermissions",
        PermissionMode::Other(name) => name,
    }
}

/// A tool of a server, by its name and what it is given.
fn mcp(wanted: &Mcp, event: &Event) -> Fit {
    let Some(use_) = event.tool_use() else { return Fit::No };
    let Some((server, tool)) = use_.name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) else {
        return Fit::No;
    };
    let of = |wanted: &Option<Text>, text: &str| wanted.as_ref().map_or(Fit::Yes, |wanted| wanted.fits(text));
    let argument = |(name, wanted): &(String, Text)| {
        let value = if name.starts_with('/') {
            use_.input.iter().find_map(|(key, value)| {
                let rest = name[1..].strip_prefix(key.as_str())?;
                if rest.is_empty() { Some(value) } else { value.pointer(rest) }
            })
        } else {
            use_.input.get(name)
        };
        match value {
            None | Some(Json::Null) => Fit::No,
            Some(Json::String(text)) => wanted.fits(text),
            Some(other) => wanted.fits(&other.to_string()),
        }
    };
    let named = of(&wanted.server, server).min(of(&wanted.tool, tool));
    if named == Fit::No { named } else { wanted.argument.iter().map(argument).fold(named, Fit::min) }
}
