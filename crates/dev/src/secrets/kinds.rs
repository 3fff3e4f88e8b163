//! The kinds of text that tools return, for measuring: a quarter of a megabyte of each. Our own files where we have such; the others are made,
//! from the same numbers each time, with as many signs as the real ones have.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::plant::Dice;

/// What is looked at of each.
const LONG: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) text: String,
    /// Instructions that a byte may take.
    pub(super) limit: f64,
}

pub(super) fn kinds() -> anyhow::Result<Vec<Kind>> {
    let root = crate::workspace::root();
    let patch =
        Command::new("git").args(["log", "-p", "-50", "--", "crates/shell"]).current_dir(root).output()?;
    let patch = String::from_utf8_lossy(&patch.stdout).into_owned();
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))?;
    let kind = |name, limit, text: String| Kind { name, text: whole(text), limit };
    Ok(vec![
        kind("rust", 8.0, files(&root.join("crates/shell/src"), "rs")?),
        kind("markdown", 8.0, files(&root.join("docs"), "md")?),
        kind("patch", 8.0, patch),
        kind("cargo lock", 10.0, lock),
        kind("npm lock", 12.5, made(npm_lock)),
        kind("log", 10.0, made(log)),
        kind("web log", 9.5, made(web_log)),
        kind("json", 8.5, made(json)),
        kind("csv", 8.0, made(csv)),
        kind("bundle", 10.0, made(bundle)),
        kind("source map", 8.0, made(source_map)),
        kind("html", 18.5, made(html)),
        kind("base64", 12.0, made(|dice, out| lines_of_base64(dice, out, 76))),
        kind("hashes", 8.5, made(hashes)),
        kind("chinese", 9.5, made(chinese)),
    ])
}

/// As long as is looked at, again and again where there is less.
fn whole(text: String) -> String {
    let mut whole = text;
    while !whole.is_empty() && whole.len() < LONG {
        whole.push_str(&whole.clone());
    }
    whole.truncate(whole.floor_char_boundary(LONG));
    whole
}

fn files(folder: &Path, extension: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            text.push_str(&files(&path, extension)?);
        } else if path.extension().is_some_and(|has| has == extension) {
            text.push_str(&std::fs::read_to_string(&path)?);
        }
    }
    Ok(text)
}

fn made(part: impl Fn(&mut Dice, &mut String)) -> String {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut text = String::new();
    while text.len() < LONG {
        part(&mut dice, &mut text);
    }
    text
}

fn of(dice: &mut Dice, alphabet: &[u8], long: usize) -> String {
    (0..long).map(|_| char::from(alphabet[dice.below(alphabet.len())])).collect()
}

const HEX: &[u8] = b"0123456789abcdef";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn word(dice: &mut Dice) -> &'static str {
    const WORDS: &[&str] = &[
        "state", "index", "value", "parse", "node", "config", "default", "options", "handler", "request",
        "length", "children", "type", "name", "version", "source", "client", "buffer", "module", "item",
    ];
    WORDS[dice.below(WORDS.len())]
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    let _ = writeln!(out, "{text}");
}

fn npm_lock(dice: &mut Dice, out: &mut String) {
    let (name, hash) = (format!("{}-{}", word(dice), word(dice)), of(dice, BASE64, 86));
    line(out, format_args!("    \"node_modules/@{}/{name}\": {{", word(dice)));
    line(out, format_args!("      \"version\": \"{}.{}.{}\",", dice.below(9), dice.below(30), dice.below(9)));
    line(out, format_args!("      \"resolved\": \"https://registry.example/{name}/-/{name}-1.2.3.tgz\","));
    line(out, format_args!("      \"integrity\": \"sha512-{hash}==\","));
    line(
        out,
        format_args!(
            "      \"license\": \"MIT\",\n      \"engines\": {{\n        \"node\": \">=18\"\n      }}\n    }},"
        ),
    );
}

fn log(dice: &mut Dice, out: &mut String) {
    let (hour, minute) = (dice.below(24), dice.below(60));
    let (package, other) = (word(dice), word(dice));
    line(
        out,
        format_args!(
            "2026-05-09 {hour:02}:{minute:02}:07 status unpacked lib{package}-{other}-dev:amd64 1.{hour}.{minute}-3+b1"
        ),
    );
    line(
        out,
        format_args!(
            "{hour:02}:{minute:02}:07.123 [INFO ] {package}.{other}.Worker: {package} done in {minute} ms, {hour} left"
        ),
    );
}

fn web_log(dice: &mut Dice, out: &mut String) {
    let (id, trace) = (dice.below(99_999), of(dice, HEX, 32));
    let word = word(dice);
    line(
        out,
        format_args!(
            "10.0.3.{} - - [19/Nov/2026:10:07:{:02} +0000] \"GET /{word}/{id}?page=2 HTTP/1.1\" 200 {id} \"https://app.host.net/\"",
            dice.below(250),
            dice.below(60)
        ),
    );
    line(
        out,
        format_args!(
            "{{\"level\":\"info\",\"ts\":17{id}.12,\"msg\":\"{word} done\",\"status\":200,\"trace_id\":\"{trace}\"}}"
        ),
    );
}

fn json(dice: &mut Dice, out: &mut String) {
    let (first, second) = (word(dice), word(dice));
    line(
        out,
        format_args!(
            "  {{\n    \"{first}\": \"the {second} of a {first}\",\n    \"{second}_id\": {},\n    \"{second}\": [true, null],\n    \"type\": \"string\"\n  }},",
            dice.below(9999)
        ),
    );
}

fn csv(dice: &mut Dice, out: &mut String) {
    let (id, name) = (dice.below(99_999), word(dice));
    line(
        out,
        format_args!(
            "{id},{name},{name}@mail.host,{}.{:02},2026-03-04,\"Street {id}, Town\"",
            id % 977,
            id % 100
        ),
    );
}

fn bundle(dice: &mut Dice, out: &mut String) {
    let (first, second) = (word(dice), word(dice));
    let (a, b) = (of(dice, b"abcdefghijklmn", 1), of(dice, b"opqrstuvwxyz", 1));
    let _ = write!(
        out,
        "function {a}({b}){{var t={b}.{first},n=t?{{{first}:!0,{second}:t[0]}}:void 0;if(t!=={b}[n])return!1;for(var i=0;i<t.length;i++)\
         {b}=\"{second}\"===t?{a}({b},n):{b}||e.{second}}}"
    );
}

fn source_map(dice: &mut Dice, out: &mut String) {
    for _ in 0..12 {
        let long = 4 + dice.below(3);
        let _ = write!(out, "{},", of(dice, &BASE64[..52], long));
    }
    out.push(';');
}

fn html(dice: &mut Dice, out: &mut String) {
    let (first, second) = (word(dice), word(dice));
    line(
        out,
        format_args!(
            "<div class=\"{first} {second}\"><p>The <code class=\"{first}\">{second}</code> of a {first} is what its\n<a href=\"#{second}.html\">{second}</a> \
             says.</p>\n<ul><li>one {first}</li><li id=\"{second}\">another</li></ul></div>"
        ),
    );
}

fn lines_of_base64(dice: &mut Dice, out: &mut String, long: usize) {
    let text = of(dice, BASE64, long);
    line(out, format_args!("{text}"));
}

fn hashes(dice: &mut Dice, out: &mut String) {
    let (hash, name) = (of(dice, HEX, 64), word(dice));
    line(out, format_args!("{hash}  ./src/{name}.txt"));
}

fn chinese(dice: &mut Dice, out: &mut String) {
    const PARTS: &[&str] =
        &["程序", "会读取", "一个文件", "，", "并且", "返回", "结果", "。", "用户", "可以", "设置"];
    for _ in 0..20 {
        out.push_str(PARTS[dice.below(PARTS.len())]);
    }
    out.push('\n');
}
