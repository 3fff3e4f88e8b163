//! Archives that code on the command line unpacks: `zipfile.ZipFile('a.zip').extractall()`. Only constants are read; where none of them
//! is an archive, nobody knows what is unpacked.

use shell::{Call, Reading};

use super::scene::{Before, Scene, Source};
use super::{Arrivals, unpacking};

/// Functions that unpack all of an archive.
const UNPACK: &[&str] = &["extractall(", "unpack_archive(", "extractAllTo("];

pub(super) fn read(reading: &Reading, facts: &dyn model::Facts) -> Vec<Arrivals> {
    let mut all = Vec::new();
    for (language, code) in &reading.inline {
        let Some((at, open)) = UNPACK.iter().find_map(|name| Some((code.find(name)?, name.len()))) else {
            continue;
        };
        let by = |call: &Call| call.program().starts_with(language.as_str());
        let Some(index) = reading.calls.iter().position(by) else { continue };
        let before = Before::new(facts);
        let scene = Scene { call: &reading.calls[index], calls: &reading.calls, facts, before: &before };
        let arguments = &code[at + open..];
        let arguments = &arguments[..arguments.find(')').unwrap_or(arguments.len())];
        let archives: Vec<&str> =
            texts(code).into_iter().filter(|text| matches!(scene.file(text), Source::File(_))).collect();
        let into = texts(arguments).into_iter().find(|text| !archives.contains(text)).unwrap_or(".");
        let found = unpacking::by_code(&scene, &archives, into);
        all.extend(found.map(|found| Arrivals { call: index, ..found }));
    }
    all
}

/// Constants in quotes, a few of them.
fn texts(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = &rest[at..=at];
        let inner = &rest[at + 1..];
        let Some(end) = inner.find(quote) else { break };
        found.push(&inner[..end]);
        rest = &inner[end + 1..];
        if found.len() >= 32 {
            break;
        }
    }
    found.retain(|text| !text.is_empty() && text.len() < 1024 && !text.contains('\n'));
    found
}
