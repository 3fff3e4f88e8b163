//! Paths, and how patterns of rules fit them. A pattern with a slash is from the project's root, from `/` or from `~`; one without is a
//! name, at any depth. What is named counts with all that is below it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::Path;

use model::rule::paths::{Form, Lies, folded, is_small, shape};
use model::rule::{Book, Fit, Kind, Number, Root, Text, Touch, pattern};
use shell::text::is_hole;

use crate::Context;

/// A path that something happens to. What is worked out about it is the same for all rules.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    /// As it was written.
    text: Cow<'a, str>,
    /// From the root.
    path: Forms,
    /// With all that is below it.
    tree: bool,
    /// No part of it is a hole.
    known: bool,
    /// Behind a link, the file that it is.
    real: OnceCell<Option<Forms>>,
}

/// A path in its own letters, and in small ones.
#[derive(Clone, Debug)]
struct Forms {
    own: Form<'static>,
    small: OnceCell<Form<'static>>,
}

impl Forms {
    fn new(path: String, cx: &Context<'_>) -> Self {
        Self { own: Form::new(path, cx.project(), cx.home()), small: OnceCell::new() }
    }

    fn small(&self, cx: &Context<'_>) -> &Form<'static> {
        let roots = [cx.project(), cx.home().unwrap_or_default()];
        if is_small(&self.own.path) && roots.into_iter().all(is_small) {
            return &self.own;
        }
        self.small.get_or_init(|| {
            let form = Form::folded(&self.own.path, cx.project(), cx.home());
            Form { path: form.path.into_owned().into(), ..form }
        })
    }

    fn path(&self) -> &str {
        &self.own.path
    }
}

impl<'a> Place<'a> {
    pub(super) fn new(text: impl Into<Cow<'a, str>>, cwd: &str, tree: bool, cx: &Context<'_>) -> Self {
        let text = text.into();
        let path = absolute(&text, cwd, cx);
        let known = shell::text::is_known(&path);
        Self { text, path: Forms::new(path, cx), tree, known, real: OnceCell::new() }
    }

    /// The rules that may be about it.
    pub(super) fn collect(&self, touch: Touch, book: &Book, cx: &Context<'_>, found: &mut Vec<Number>) {
        if !self.known && tells(&self.text) {
            return book.about_unknown_path(touch, found);
        }
        book.about_path(touch, self.path.small(cx), self.tree, found);
        if let Some(real) = self.real(cx) {
            book.about_path(touch, real.small(cx), self.tree, found);
        }
    }

    /// Whether it is one that a rule is about.
    pub(super) fn fits(&self, wanted: &Text, cx: &Context<'_>) -> Fit {
        let written = self.fits_as(wanted, &self.path, cx);
        if written == Fit::Yes || wanted.like.is_empty() {
            return written;
        }
        self.real(cx).map_or(written, |real| written.max(self.fits_as(wanted, real, cx)))
    }

    /// What lies behind a link on the way.
    fn real(&self, cx: &Context<'_>) -> Option<&Forms> {
        let follow = || {
            // The project's root is known as the kernel follows it.
            let may_be_link = self.known && self.path.path() != cx.project();
            let real = may_be_link.then(|| cx.facts.resolve(Path::new(self.path.path())))?;
            (real.as_os_str() != self.path.path())
                .then(|| Forms::new(real.to_string_lossy().into_owned(), cx))
        };
        self.real.get_or_init(follow).as_ref()
    }

    fn fits_as(&self, wanted: &Text, path: &Forms, cx: &Context<'_>) -> Fit {
        let any = |patterns: &[String], tree: bool| {
            patterns.iter().map(|one| self.one(one, path, tree, cx)).max().unwrap_or_default()
        };
        let like = if wanted.like.is_empty() { Fit::Yes } else { any(&wanted.like, self.tree) };
        if like == Fit::No { Fit::No } else { like.min(!any(&wanted.unlike, false)) }
    }

    fn one(&self, wanted: &str, path: &Forms, tree: bool, cx: &Context<'_>) -> Fit {
        let roots = (cx.project(), cx.home());
        let fit = fits(wanted, &path.own, tree, self.known, roots);
        let upper = |text: &str| text.bytes().any(|b| b.is_ascii_uppercase());
        match fit {
            Fit::Perhaps if !is_told(wanted, &self.text) => Fit::No,
            Fit::No if upper(wanted) || upper(path.path()) => {
                // Asked only where letter case decides.
                let (project, home) = (folded(roots.0), roots.1.map(folded));
                let roots = (&*project, home.as_deref());
                let small = fits(&folded(wanted), path.small(cx), tree, self.known, roots);
                if small > Fit::No && cx.facts.folds_case(Path::new(path.path())) { small } else { Fit::No }
            }
            fit => fit,
        }
    }
}

/// Absolute, with `~` understood. What begins with a hole may be from anywhere.
pub(super) fn absolute(text: &str, cwd: &str, cx: &Context<'_>) -> String {
    if text.starts_with(is_hole) {
        return text.to_owned();
    }
    match (text.strip_prefix('~'), cx.home()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            shell::path::absolute(&format!("{home}{rest}"), cwd)
        }
        _ => shell::path::absolute(text, cwd),
    }
}

fn fits(wanted: &str, form: &Form<'_>, tree: bool, known: bool, roots: (&str, Option<&str>)) -> Fit {
    let (root, inner) = shape(wanted);
    let folder = match root {
        Root::Project => roots.0,
        Root::Home => match roots.1 {
            Some(home) => home,
            None => return Fit::No,
        },
        Root::Top => "",
        // Everywhere: what lies around is not meant.
        Root::Anywhere => return below(inner, form.path.trim_start_matches('/'), false, known),
        Root::Name => return named(inner, form),
    };
    match form.lies(root) {
        Lies::Below(at) => below(inner, form.path.get(at..).unwrap_or_default(), tree, known),
        Lies::Around if tree => Fit::Yes,
        Lies::Around | Lies::Apart if known => Fit::No,
        // A hole may be what leads there.
        Lies::Around | Lies::Apart => {
            let folder = pattern::quoted(folder.trim_end_matches('/'));
            let whole = if inner.is_empty() { folder } else { format!("{folder}/{inner}") };
            itself_or_in_it(&whole, &form.path)
        }
    }
}

/// A pattern from a folder on, and what follows that folder in a path.
fn below(wanted: &str, rest: &str, tree: bool, known: bool) -> Fit {
    // All that is in the folder.
    if wanted.is_empty() {
        return Fit::Yes;
    }
    let plain = &wanted[..wanted.find(['*', '?', '[', '\\']).unwrap_or(wanted.len())];
    // What lies around it, taken as a whole.
    if tree && (rest.is_empty() || plain.strip_prefix(rest).is_some_and(|more| more.starts_with('/'))) {
        return Fit::Yes;
    }
    // Most differ before the first pattern.
    if known && !rest.as_bytes().starts_with(plain.as_bytes()) {
        return Fit::No;
    }
    itself_or_in_it(wanted, rest)
}

fn itself_or_in_it(wanted: &str, path: &str) -> Fit {
    let itself = pattern::fits(wanted, path, Kind::Path);
    if itself == Fit::Yes || wanted.ends_with("**") {
        return itself;
    }
    itself.max(pattern::fits(&format!("{wanted}/**"), path, Kind::Path))
}

/// A name on the way.
fn named(wanted: &str, form: &Form<'_>) -> Fit {
    // In the project its own place says nothing about what is in it.
    let path = match form.project {
        Lies::Below(at) => form.path.get(at..).unwrap_or_default(),
        Lies::Around | Lies::Apart => &form.path,
    };
    path.split('/')
        .filter(|name| !name.is_empty())
        .map(|name| pattern::fits(wanted, name, Kind::Path))
        .max()
        .unwrap_or_default()
}

/// Whether something of what is known of a path speaks for the pattern. `cat "$FILE"` may be any file, and is not asked about for every
/// rule about some; `cat infra/$ENV/x` and `cat $DIR/id_rsa` are.
fn is_told(wanted: &str, text: &str) -> bool {
    let last = shell::path::name(wanted.trim_end_matches("/**"));
    begins(text) || last.bytes().any(|b| b.is_ascii_alphanumeric()) && tells(text)
}

/// Whether it could speak for any pattern.
fn tells(text: &str) -> bool {
    let name = shell::path::name(text);
    begins(text) || name.chars().any(|c| !is_hole(c) && c.is_alphanumeric())
}

/// Whether something stands before what is not known.
fn begins(text: &str) -> bool {
    let begins = text.split(is_hole).next().unwrap_or_default();
    !begins.trim_start_matches("./").trim_start_matches('/').is_empty()
}
