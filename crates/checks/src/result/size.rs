//! Results that flood the conversation: `result/size`.

use model::{Event, EventName, Findings, Levels, Meta, On, Role, Tool, Tools};

use crate::{Check, Context};

static META: Meta = Meta {
    id: "result/size",
    summary: "a very large result",
    docs: "\
Tells the agent what a large result was made of and how to get the part that it needs: the place in a minified file, the package in a lock
file, the end of a log. Nothing is cut. A hundred kilobytes count, and twenty where a line is longer than anybody reads.
",
    cases: include_str!("size.toml"),
    on: &[
        On::shell(EventName::PostToolUse),
        On::reads(EventName::PostToolUse),
        On { event: EventName::PostToolUse, tools: Tools::Mcp },
    ],
    role: Role::Advisory,
    levels: Levels::ALWAYS,
    since: "0.1",
};

const LARGE: usize = 100 * 1024;
/// Where a line of it is this long.
const DENSE: usize = 20 * 1024;
const LONG_LINE: usize = 5000;

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, _: &Context<'_>, out: &mut Findings) {
    let Some(use_) = event.tool_use() else { return };
    let texts = use_.outcome.texts();
    let Some((_, text)) = texts.iter().max_by_key(|(_, text)| text.len()) else { return };
    if text.len() < DENSE {
        return;
    }
    let longest = text.split('\n').max_by_key(|line| line.len()).unwrap_or_default();
    let dense = longest.len() >= LONG_LINE;
    if text.len() < LARGE && !dense {
        return;
    }
    let file = match &use_.tool {
        Tool::Read { path } => path.to_string_lossy().into_owned(),
        _ => "FILE".to_owned(),
    };
    let (what, instead) = advice(text, longest, &file);
    out.context.push(format!("This result has {} KB: {what}. {instead}", text.len() / 1024));
}

fn advice(text: &str, longest: &str, file: &str) -> (String, String) {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let is_base64 = longest.len() >= LONG_LINE
        && longest
            .bytes()
            .take(2000)
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_'));
    let locked = name.ends_with(".lock")
        || matches!(name, "package-lock.json" | "pnpm-lock.yaml" | "go.sum" | "npm-shrinkwrap.json");
    if locked {
        ("a lock file".into(), format!("One package of it: `grep -n -A 4 'NAME' {file}`."))
    } else if is_base64 {
        ("base64 in one line".into(), format!("What it is: `base64 -d {file} | head -c 200 | file -`."))
    } else if longest.len() >= LONG_LINE {
        let what = format!("a line of {} KB, which is minified or generated", longest.len() / 1024);
        (what, format!("The place that you need: `grep -o '.\\{{0,80\\}}NAME.\\{{0,80\\}}' {file}`."))
    } else {
        let lines = text.bytes().filter(|byte| *byte == b'\n').count() + 1;
        (
            format!("{lines} lines"),
            "The part that you need: `tail -n 100`, `grep -n WORD`, or a range of lines.".into(),
        )
    }
}
