//! Packages that are called almost like popular ones: `shell/package-name`.
//!
//! The popular names are data, one list per registry in `package_name/popular`; what counts as almost the same is `near`.

mod near;
mod popular;

use std::path::{Path, PathBuf};

use model::deed::{Certainty, Object, Verb};
use model::{Event, Facts, Findings, Meta};
use shell::Call;
use shell::programs::Registry;

use self::near::Name;
use crate::{Check, Context};

static META: Meta = super::guard(
    "shell/package-name",
    "a package that is called almost like a popular one",
    "\
Asks before a package is installed whose name is a near neighbour of a popular one: a letter more, less, other or in another place,
other or missing separators, letters that look alike, words in another order, `python-` or `-js` around it. Such names are a usual way
to bring foreign code onto a machine, and models invent them. It looks at PyPI, npm, crates.io, Go and RubyGems, whichever program
installs, and needs no network: the popular names are a part of Plimsoll.

A name that is popular itself, one that the project's manifest or lock file has already, a scoped one (`@acme/…`), a path and an address
pass. A package of your own that is asked about passes once it stands in the manifest.
",
    include_str!("package_name.toml"),
);

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
    let Some(reading) = cx.reading(event) else { return };
    for call in &reading.calls {
        if !call.does(Verb::Installs) || call.elsewhere || call.words().rehearses {
            continue;
        }
        let Some(registry) = call.words().entry.and_then(|entry| entry.registry) else { continue };
        let registry = spoken(registry, call, cx.facts);
        for deed in call.deeds.iter().filter(|deed| deed.verb == Verb::Installs) {
            let Object::Package(text) = &deed.object else { continue };
            let Some(name) = Name::of(registry, text).filter(|_| deed.certainty == Certainty::Known) else {
                continue;
            };
            let Some(meant) = popular::neighbour(registry, &name) else { continue };
            if is_listed(registry, &name, call, cx.facts) {
                continue;
            }
            let what = format!(
                "`{}` is not the package that many projects use on {}: that one is called `{meant}`.",
                name.written,
                popular::title(registry)
            );
            let found = out.ask(META.id, what, "Misspelt names are a usual way to bring in foreign code.");
            found.instead = Some(format!("Install `{meant}`, or tell the user why it is this one."));
            found.at.clone_from(&deed.span);
            return;
        }
    }
}

/// Some managers of Python and of Ruby share an entry in the tables. What the project is decides.
fn spoken(registry: Registry, call: &Call, facts: &dyn Facts) -> Registry {
    let has = |name: &str| folders(call, facts).iter().any(|dir| facts.entry(&dir.join(name)).is_some());
    let python = ["pyproject.toml", "requirements.txt", "Pipfile", "setup.py"];
    if registry == Registry::Pypi && has("Gemfile") && !python.iter().any(|name| has(name)) {
        return Registry::RubyGems;
    }
    registry
}

fn folders(call: &Call, facts: &dyn Facts) -> Vec<PathBuf> {
    let mut dirs = vec![facts.project().to_owned()];
    if shell::text::is_known(&call.cwd) && Path::new(&*call.cwd) != facts.project() {
        dirs.insert(0, PathBuf::from(&*call.cwd));
    }
    dirs
}

/// Whether the project has the package already, by its manifest or its lock file. Looked at only for names that are suspected.
fn is_listed(registry: Registry, name: &Name, call: &Call, facts: &dyn Facts) -> bool {
    let dirs = folders(call, facts);
    let files =
        dirs.iter().flat_map(|dir| popular::manifests(registry).iter().map(move |file| dir.join(file)));
    files.into_iter().any(|file| facts.read(&file).ok().flatten().is_some_and(|text| name.is_in(&text)))
}

#[cfg(test)]
mod tests;
