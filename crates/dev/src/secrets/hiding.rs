//! Payloads of others, hidden in each of the ways that are looked for.

use std::path::Path;

use anyhow::Context;
use model::hidden::{Source, find};

/// A way to hide a text in another.
type Way = (&'static str, fn(&str) -> String);

const WAYS: &[Way] = &[
    ("tags", |text| ascii(text).map(|byte| code(0xe0000 + u32::from(byte))).collect()),
    ("selectors", |text| ascii(text).map(|byte| code(0xe0100 + u32::from(byte) - 16)).collect()),
    ("bits", |text| {
        let bits = ascii(text).flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1 == 1));
        bits.map(|bit| if bit { '\u{200d}' } else { '\u{200b}' }).collect()
    }),
    ("apart", |text| text.chars().flat_map(|c| [c, '\u{200b}']).collect()),
    ("turned", |text| {
        format!("\u{202e}{}\u{202c}", text.replace('\n', " ").chars().rev().collect::<String>())
    }),
    ("concealed", |text| format!("\u{1b}[8m{text}\u{1b}[0m")),
    ("comment", |text| format!("<!-- {text} -->")),
    ("link", |text| format!("\n[//]: # ({})\n", text.replace('\n', " "))),
    ("image", |text| format!("![{}](x.png)", text.replace('\n', " "))),
    ("element", |text| format!("<span style=\"display:none\">{text}</span>")),
];

fn ascii(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| byte.is_ascii_graphic() || *byte == b' ')
}

fn code(code: u32) -> char {
    char::from_u32(code).unwrap_or(' ')
}

pub(super) fn run(payloads: &Path, missed: bool) -> anyhow::Result<()> {
    let texts: Vec<String> =
        serde_json::from_str(&std::fs::read_to_string(payloads)?).context("a list of texts")?;
    let (mut all, mut shown) = (0, 0);
    for (name, hide) in WAYS {
        let mut found = 0;
        for text in &texts {
            let page = format!("# A library\n\nIt reads files. {} It is quick.\n", hide(text));
            if find(&page, Source::Command).is_empty() {
                if missed {
                    println!("{name}\t{:?}", text.chars().take(150).collect::<String>());
                }
            } else {
                found += 1;
            }
        }
        println!("{name}: {found} of {}", texts.len());
        all += texts.len();
        shown += found;
    }
    println!("{shown} of {all} shown");
    Ok(())
}
