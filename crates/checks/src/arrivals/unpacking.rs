//! Programs that unpack archives.

mod way;

use std::path::Path;

use model::{Change, Incoming, What};
use shell::path::{absolute, is_below, name};
use shell::programs::{Output, Role};
use shell::text::is_known;

use super::format::{Bytes, Listing, gunzip, list};
use super::options::Words;
use super::scene::{Scene, Source};
use super::{Arrival, Arrivals, Carrier, Rest, reach};
pub(super) use way::is_left_out;
use way::{Way, is_asked_for, plain};

/// Words that choose among the members; more of them than that choose nothing.
const MOST_PATTERNS: usize = 32;

/// Microseconds that the archives of a command may take.
const LONGEST_WHILE: u64 = 3_000_000;

pub(super) fn tar(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let unpacks = words.has(&["x", "extract", "get"]);
    if !unpacks || words.has(&["O", "to-stdout", "to-command", "t", "list", "help", "version"]) {
        return None;
    }
    let mut into = scene.call.cwd.to_string();
    for dir in words.values(&["C", "directory"]) {
        into = absolute(dir, &into);
    }
    let archive = words.value(&["f", "file"]).unwrap_or("-");
    if words.has(&["one-top-level"]) {
        let folder = words.value(&["one-top-level"]).unwrap_or_else(|| stem(name(archive)));
        into = absolute(folder, &into);
    }
    // Patterns mean other things then.
    let plain = !words.has(&["anchored", "no-wildcards", "no-wildcards-match-slash", "ignore-case"]);
    let way = Way {
        into: scene.place(&into)?,
        strip: words.value(&["strip-components"]).map_or(Ok(0), str::parse).unwrap_or(0),
        only: words.texts().chain(words.values(&["include"])).collect(),
        without: if plain { words.values(&["exclude"]).collect() } else { Vec::new() },
        escapes: words.has(&["P", "absolute-names"]),
        keeps: words.has(&["k", "keep-old-files", "skip-old-files"]),
        ..Way::default()
    };
    if let Some(found) = told_elsewhere(scene, &["TAR_OPTIONS", "TAR_READER_OPTIONS"], &way) {
        return Some(found);
    }
    if words.has(&["transform", "xform", "s"]) {
        return Some(hidden("the names are changed on the way", &way));
    }
    // `host:file` is on another machine.
    let remote =
        archive.split_once(':').is_some_and(|(host, _)| !host.contains('/')) && !words.has(&["force-local"]);
    if remote {
        return Some(hidden("it lies on another machine", &way));
    }
    unpack_all(scene, archive, &way)
}

pub(super) fn unzip(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if words.has(&["l", "t", "z", "Z", "v", "p", "c", "h"]) {
        return None;
    }
    let (archive, members) = words.operands.split_first()?;
    // After `-x` come names that are left out.
    let at = scene.call.args().iter().position(|arg| arg.text == "-x");
    let left_out =
        |text: &str| at.is_some_and(|at| scene.call.args()[at..].iter().any(|arg| arg.text == text));
    let (mut without, only): (Vec<&str>, Vec<&str>) =
        members.iter().map(|arg| arg.text.as_str()).partition(|text| left_out(text));
    without.extend(words.values(&["x"]));
    let way = Way {
        into: scene.place(words.value(&["d"]).unwrap_or("."))?,
        only,
        without,
        escapes: words.has(&[":"]),
        flat: words.has(&["j"]),
        keeps: words.has(&["n"]),
        ..Way::default()
    };
    if let Some(found) = told_elsewhere(scene, &["UNZIP", "UNZIPOPT"], &way) {
        return Some(found);
    }
    match scene.file(&format!("{}.zip", archive.text)) {
        Source::Missing => unpack_all(scene, &archive.text, &way),
        source => unpack(scene, &source, &way),
    }
}

pub(super) fn seven_zip(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let mut texts = words.texts();
    if scene.call.has("-so") {
        return None;
    }
    let archive = texts.next()?;
    let way = Way {
        into: scene.place(words.value(&["o"]).unwrap_or("."))?,
        only: texts.collect(),
        flat: scene.call.has("e"),
        escapes: scene.call.has("-spf"),
        keeps: scene.call.has("-aos"),
        ..Way::default()
    };
    unpack_all(scene, archive, &way)
}

pub(super) fn cpio(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let into = words.value(&["D", "directory"]).unwrap_or(".");
    if words.has(&["p", "pass-through"]) {
        // The names come in on stdin.
        let target = absolute(&words.operands.last()?.text, &absolute(into, &scene.call.cwd));
        return Some(hidden(
            "which files it copies is not known",
            &Way { into: scene.place(&target)?, ..Way::default() },
        ));
    }
    if !words.has(&["i", "extract"]) || words.has(&["t", "list", "to-stdout"]) {
        return None;
    }
    let way = Way {
        into: scene.place(into)?,
        only: if words.has(&["f", "nonmatching"]) { Vec::new() } else { words.texts().collect() },
        escapes: !words.has(&["no-absolute-filenames"]),
        ..Way::default()
    };
    unpack_all(scene, words.value(&["F", "file", "I"]).unwrap_or("-"), &way)
}

pub(super) fn jar(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if !words.has(&["x", "extract"]) {
        return None;
    }
    let way = Way {
        into: scene.place(words.value(&["C", "dir"]).unwrap_or("."))?,
        only: words.texts().collect(),
        escapes: words.has(&["P"]),
        keeps: words.has(&["k", "keep-old-files"]),
        ..Way::default()
    };
    unpack_all(scene, words.value(&["f", "file"]).unwrap_or("-"), &way)
}

/// `python3 -m zipfile -e a.zip dir`
pub(super) fn module(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let mut rest = words.texts().filter(|_| words.has(&["extract"]));
    let (archive, into) = (rest.next()?, rest.next().unwrap_or("."));
    // Older versions obey whatever a tar archive says.
    let way = Way { into: scene.place(into)?, escapes: !archive.ends_with(".zip"), ..Way::default() };
    unpack_all(scene, archive, &way)
}

/// By code: the archives that it names, or whatever it unpacks.
pub(super) fn by_code(scene: &Scene<'_>, archives: &[&str], into: &str) -> Option<Arrivals> {
    let way = Way { escapes: true, ..way_into(scene, into)? };
    let found = archives.iter().filter_map(|archive| match scene.file(archive) {
        Source::File(path) => Some(placed(scene, &listing(scene, &path)?, &way)),
        _ => None,
    });
    // Other files that it names are not archives.
    Some(found.reduce(Arrivals::join).unwrap_or_else(|| hidden("which archive it is, is not known", &way)))
}

pub(super) fn expand_archive(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let named = |wanted: &str| {
        let at = scene.call.args().iter().position(|arg| arg.text.eq_ignore_ascii_case(wanted))?;
        scene.call.args().get(at + 1).map(|arg| arg.text.as_str())
    };
    let mut texts = words.texts();
    let archive = named("-Path").or_else(|| named("-LiteralPath")).or_else(|| texts.next())?;
    // Without a folder it makes one of the archive's name.
    let into = named("-DestinationPath").or_else(|| texts.next()).unwrap_or_else(|| stem(archive));
    unpack_all(scene, archive, &Way { into: scene.place(into)?, ..Way::default() })
}

pub(super) fn unar(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let archive = words.texts().next()?;
    unpack_all(scene, archive, &way_into(scene, words.value(&["o"]).unwrap_or("."))?)
}

pub(super) fn unrar(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let mut texts = words.texts();
    let archive = texts.next()?;
    let into = texts.filter(|text| text.ends_with('/')).last().unwrap_or(".");
    unpack_all(scene, archive, &way_into(scene, into)?)
}

pub(super) fn package(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let unpacks = words.has(&["extract", "vextract", "raw-extract", "control"]);
    let mut texts = words.texts().filter(|_| unpacks);
    let (archive, into) = (texts.next()?, texts.next().unwrap_or("DEBIAN"));
    unpack_all(scene, archive, &way_into(scene, into)?)
}

/// `ar x lib.a`
pub(super) fn library(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let mut texts = words.texts();
    texts.next().filter(|letters| letters.contains('x'))?;
    let archive = texts.next()?;
    unpack_all(scene, archive, &way_into(scene, ".")?)
}

pub(super) fn pax(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    if !words.has(&["r"]) || words.has(&["w"]) {
        return None;
    }
    let way = Way { escapes: true, ..way_into(scene, ".")? };
    if words.has(&["s"]) {
        return Some(hidden("the names are changed on the way", &way));
    }
    unpack_all(scene, words.value(&["f"]).unwrap_or("-"), &way)
}

/// One file, under the name that is left without its ending: `gunzip a.gz`.
pub(super) fn single(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let output = scene.call.words().entry.and_then(|entry| entry.output);
    let unpacks = output == Some(Output::Unpacked) || words.has(&["decompress"]);
    if !unpacks || words.has(&["c", "stdout", "to-stdout", "t", "test", "l", "list"]) {
        return None;
    }
    let mut found = Arrivals::of(Carrier::Archive);
    let named = words.value(&["o", "output"]);
    found.files.extend(named.and_then(|path| scene.place(path)).map(written));
    for text in words.texts().filter(|_| named.is_none()) {
        let Some(path) = scene.place(text) else { continue };
        // A folder with all in it, or a name that stands in the file.
        if words.has(&["r", "recursive"]) || words.has(&["N", "name"]) {
            let below = if words.has(&["r", "recursive"]) { path } else { parent(&path) };
            found =
                found.join(Arrivals::hidden(Carrier::Archive, "the names stand in the files", vec![below]));
            continue;
        }
        if let Some((stem, ending)) = path.rsplit_once('.') {
            let packed = matches!(ending, "tgz" | "taz" | "tbz" | "tbz2" | "txz" | "tzst" | "tlz" | "tlz4");
            found.files.push(written(if packed { format!("{stem}.tar") } else { stem.to_owned() }));
        }
    }
    // `lz4 -d in out`
    let named = scene.call.with_role(Role::Write).filter(|_| named.is_none());
    found.files.extend(named.filter_map(|out| scene.place(out)).map(written));
    (!found.files.is_empty() || found.rest != Rest::Nothing).then_some(found)
}

/// `begin 644 name`
pub(super) fn uudecode(scene: &Scene<'_>, words: &Words<'_>) -> Option<Arrivals> {
    let mut found = Arrivals::of(Carrier::Archive);
    if let Some(out) = words.value(&["o", "output-file"]) {
        found.files.extend(scene.place(out).map(written));
        return Some(found);
    }
    let source = words.texts().next().map_or_else(|| scene.stdin(), |file| scene.file(file));
    let text = match text_of(scene, &source) {
        Ok(text) => text,
        Err(Source::Missing) => return None,
        Err(_) => return Some(hidden("it cannot be read", &way_into(scene, ".")?)),
    };
    let names =
        text.lines().filter_map(|line| line.strip_prefix("begin ")?.split_once(' ').map(|(_, name)| name));
    found.files.extend(names.filter_map(|name| scene.place(name.trim())).map(written));
    Some(found)
}

/// Options in a variable, which are not taken apart here.
fn told_elsewhere(scene: &Scene<'_>, variables: &[&str], way: &Way<'_>) -> Option<Arrivals> {
    let told = variables.iter().any(|name| scene.call.var(name).is_some_and(|value| !value.is_empty()));
    told.then(|| hidden("its options stand in a variable", way))
}

fn way_into<'a>(scene: &Scene<'_>, into: &str) -> Option<Way<'a>> {
    Some(Way { into: scene.place(into)?, ..Way::default() })
}

fn written(path: String) -> Arrival {
    Arrival { path, change: Change::Unknown }
}

/// A name without what says that it is an archive.
fn stem(archive: &str) -> &str {
    let name = name(archive);
    let endings = [".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tgz", ".txz", ".tar", ".zip"];
    endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
}

fn hidden(why: &'static str, way: &Way<'_>) -> Arrivals {
    // What is asked for by its name lands there, and nowhere else.
    let whole = |only: &&str| is_known(only) && !only.contains(['*', '?', '[']);
    let below = if way.only.is_empty() || !way.only.iter().all(whole) || way.strip > 0 {
        vec![way.into.clone()]
    } else {
        way.only.iter().map(|only| absolute(only, &way.into)).collect()
    };
    let hidden = Arrivals::hidden(Carrier::Archive, why, below);
    named(way).map_or_else(|| hidden.clone(), |named| named.join(hidden.clone()))
}

/// The members that are asked for by whole names, wherever they come from.
fn named(way: &Way<'_>) -> Option<Arrivals> {
    let mut found = Arrivals::of(Carrier::Archive);
    let plain = way.only.iter().filter(|only| is_known(only));
    found.files.extend(plain.filter_map(|only| way.place(only)).map(written));
    (!found.files.is_empty()).then_some(found)
}

/// The text of a source, or the source again where it has none.
pub(super) fn text_of(scene: &Scene<'_>, source: &Source) -> Result<String, Source> {
    match source {
        Source::Text(text) => Ok(text.to_string()),
        Source::File(path) => {
            let piece = scene.facts.read_piece(path, 0, reach::LONGEST_TEXT + 1).ok().flatten();
            let whole = piece.filter(|piece| {
                piece.bytes.len() <= reach::LONGEST_TEXT && piece.bytes.len() as u64 == piece.size
            });
            // Packed, where whatever comes before on the pipe unpacks it.
            let packed = |bytes: &[u8]| bytes.starts_with(&[0x1f, 0x8b]);
            let plain = whole.and_then(|piece| {
                if packed(&piece.bytes) {
                    gunzip(&piece.bytes, reach::LONGEST_TEXT)
                } else {
                    Some(piece.bytes)
                }
            });
            plain.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).ok_or(Source::Hidden)
        }
        other => Err(other.clone()),
    }
}

/// Every archive that a word is for; `-` is what comes in.
fn unpack_all(scene: &Scene<'_>, archive: &str, way: &Way<'_>) -> Option<Arrivals> {
    let sources = scene.files(archive);
    if sources.is_empty() {
        return unpack(scene, &Source::Missing, way);
    }
    sources.iter().filter_map(|source| unpack(scene, source, way)).reduce(Arrivals::join)
}

fn unpack(scene: &Scene<'_>, source: &Source, way: &Way<'_>) -> Option<Arrivals> {
    let listing = match source {
        // What is asked for by its name is known without looking.
        Source::Missing => return named(way),
        Source::Unseen => {
            let unseen = Arrivals::unseen(Carrier::Archive);
            return Some(named(way).map_or_else(|| unseen.clone(), |named| named.join(unseen.clone())));
        }
        Source::Hidden => return Some(hidden("it is not known before it is there", way)),
        // No archive is text.
        Source::Text(text) if text.is_empty() => return None,
        Source::Text(_) => return Some(hidden("it cannot be read", way)),
        Source::File(path) => listing(scene, path),
    };
    match listing {
        Some(listing) => Some(placed(scene, &listing, way)),
        None => Some(hidden("its format is not read here", way)),
    }
}

fn listing(scene: &Scene<'_>, path: &Path) -> Option<Listing> {
    let first = scene.facts.read_piece(path, 0, 0).ok()??;
    // A part of the hook's time, whatever it holds.
    let piece = |from: u64, most: usize| {
        let late = scene.facts.micros().saturating_sub(scene.before.since) > LONGEST_WHILE;
        if late { None } else { Some(scene.facts.read_piece(path, from, most).ok()??.bytes) }
    };
    list(&Bytes { size: first.size, piece: &piece }, &reach::wants_text)
}

/// Where each member lands.
fn placed(scene: &Scene<'_>, listing: &Listing, way: &Way<'_>) -> Arrivals {
    let mut found = Arrivals::of(Carrier::Archive);
    // A word that is for no member was perhaps the value of an option, and then all of them come.
    let names = || listing.members.iter().map(|member| member.name.as_str());
    let narrows = way.only.len() <= MOST_PATTERNS
        && way.only.iter().all(|only| names().any(|name| is_asked_for(name, only)));
    let without = way.without.get(..way.without.len().min(MOST_PATTERNS)).unwrap_or_default();
    let taken = |name: &str| {
        let asked = way.only.is_empty() || !narrows || way.only.iter().any(|only| is_asked_for(name, only));
        asked && !without.iter().any(|pattern| is_left_out(name, pattern))
    };
    for member in listing.members.iter().filter(|member| taken(plain(&member.name))) {
        let Some(path) = way.place(&member.name) else { continue };
        if way.keeps && scene.facts.entry(Path::new(&path)).is_some() {
            continue;
        }
        add(&mut found, path, member, &way.into);
    }
    follow_links(&mut found);
    if !listing.whole {
        let below = match hidden("", way).rest {
            Rest::Hidden { below, .. } => below,
            _ => Vec::new(),
        };
        found.rest = Rest::Hidden { why: "it cannot be read to its end", below };
    }
    found
}

/// One thing that is brought, at its place. Folders bring nothing by themselves.
pub(super) fn add(found: &mut Arrivals, path: String, member: &Incoming, root: &str) {
    let change = match &member.what {
        What::Folder => return,
        What::File(Some(text)) => Change::Write { content: text.clone() },
        What::File(None) => Change::Unknown,
        What::Gone => Change::Removed,
        What::Link(target) => {
            found.links.push((path.clone(), absolute(target, &parent(&path))));
            Change::Unknown
        }
        // Counted from where the archive is unpacked.
        What::Twin(target) => {
            found.links.push((path.clone(), absolute(target, root)));
            Change::Unknown
        }
    };
    // What takes a folder's place takes what is in it.
    if name(&path) == ".claude" {
        found.files.push(Arrival { path: format!("{path}/settings.json"), change: Change::Removed });
    }
    found.files.push(Arrival { path, change });
}

/// What comes by a link that came before lands where that leads.
pub(super) fn follow_links(found: &mut Arrivals) {
    if found.links.is_empty() {
        return;
    }
    let mut more = Vec::new();
    for file in &found.files {
        let mut path = file.path.clone();
        // A link to a link; a ring of them ends somewhere.
        for _ in 0..8 {
            let through = found.links.iter().filter(|(link, _)| is_below(&path, link));
            let Some((link, target)) = through.max_by_key(|(link, _)| link.len()) else { break };
            let next = format!("{target}{}", &path[link.len()..]);
            // The link itself is not a file by way of it.
            if next == path || path == file.path && path == *link {
                break;
            }
            path = next;
        }
        if path != file.path {
            more.push(Arrival { path, change: file.change.clone() });
        }
    }
    found.files.extend(more);
}
