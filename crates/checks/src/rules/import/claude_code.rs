//! `permissions` of Claude Code's settings: `Bash(git push:*)`, `Read(./.env)`, `WebFetch(domain:example.com)`, `mcp__server__tool`.

use model::rule::Then;
use serde_json::{Value as Json, json};

use super::{Draft, Made, call_of};

pub(super) fn read(text: &str) -> Result<Vec<Draft>, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let permissions = json.get("permissions").and_then(Json::as_object).ok_or("it has no permissions")?;
    let mut drafts = Vec::new();
    for (list, then) in [("deny", Then::Deny), ("ask", Then::Ask), ("allow", Then::Allow)] {
        let entries = permissions.get(list).and_then(Json::as_array).into_iter().flatten();
        for entry in entries.filter_map(Json::as_str) {
            drafts
                .push(one(entry, then).unwrap_or_else(|why| Draft::Cannot(format!("{list} {entry}: {why}"))));
        }
    }
    for key in permissions.keys().filter(|key| !["allow", "ask", "deny"].contains(&key.as_str())) {
        drafts.push(Draft::Cannot(format!("{key}: no rule says this")));
    }
    Ok(drafts)
}

fn one(entry: &str, then: Then) -> Result<Draft, &'static str> {
    let (tool, inner) = match entry.split_once('(') {
        Some((tool, rest)) => (tool.trim(), rest.strip_suffix(')').ok_or("it does not end with )")?),
        None => (entry.trim(), ""),
    };
    let mut made = Made {
        origin: format!("{} {entry}", then.as_str()),
        name: entry.to_owned(),
        then: Some(then),
        ..Made::default()
    };
    match tool {
        "Bash" if inner.is_empty() || inner == "*" || inner == ":*" => {
            made.keys.push(("tool", json!("Bash")));
            made.fires.push(json!("ls"));
            made.none.push(json!({"read": "README.md"}));
            if then == Then::Allow {
                return Err("it allows every command");
            }
        }
        "Bash" => bash(&mut made, inner)?,
        "Read" => paths(&mut made, "read", inner, |path| json!({"read": path}))?,
        "Edit" | "Write" | "MultiEdit" => {
            paths(&mut made, "write", inner, |path| json!({"file": path, "content": "x"}))?;
        }
        "WebFetch" => {
            let host = inner.strip_prefix("domain:").ok_or("only domain: can be said of WebFetch")?;
            made.keys.push(("fetch", json!(host)));
            let plain = host.replace('*', "www");
            made.fires.push(
                json!({"tool": "WebFetch", "input": {"url": format!("https://{plain}/"), "prompt": "x"}}),
            );
            made.none
                .push(json!({"tool": "WebFetch", "input": {"url": "https://other.invalid/", "prompt": "x"}}));
        }
        server if server.starts_with("mcp__") && inner.is_empty() => mcp(&mut made, server),
        _ if inner.is_empty() => {
            made.keys.push(("tool", json!(tool)));
            made.fires.push(json!({"tool": tool, "input": {}}));
            made.none.push(json!({"tool": "TodoWrite", "input": {}}));
        }
        _ => return Err("what stands in brackets has no meaning here"),
    }
    Ok(Draft::Rule(made))
}

/// A prefix of words; without a star at its end, the whole command.
fn bash(made: &mut Made, inner: &str) -> Result<(), &'static str> {
    let (line, open) = match inner.strip_suffix(":*").or_else(|| inner.strip_suffix(" *")) {
        Some(line) => (line, true),
        None => (inner, false),
    };
    if line.contains('*') {
        return Err("a star in the middle of a command matches text, which no rule does");
    }
    if line.contains(['|', '&', ';', '<', '>', '$', '`', '"', '\'', '\\', '(']) {
        return Err("it is more than the words of one program");
    }
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let (program, rest) = words.split_first().ok_or("it names no program")?;
    let mut call = call_of(std::slice::from_ref(program), rest);
    // What is allowed is allowed as it is written; what is refused is refused in any spelling.
    if made.then == Some(Then::Allow) && !rest.is_empty() {
        call.retain(|key, _| key == "program");
        call.insert("begins".into(), json!(rest));
    }
    if !open {
        call.insert("exact".into(), json!(true));
    }
    made.keys.push(("call", Json::Object(call)));
    made.fires.push(json!(line));
    made.none.push(json!(format!("echo {}", shell::quote(line))));
    Ok(())
}

/// `//abs`, `~/x`, `/x` and `./x` from the project, `x` anywhere.
fn paths(
    made: &mut Made,
    key: &'static str,
    inner: &str,
    case: impl Fn(&str) -> Json,
) -> Result<(), &'static str> {
    let path = if inner.is_empty() { "**" } else { inner };
    let path = match path.strip_prefix("//") {
        Some(rest) => format!("/{rest}"),
        None => match path.strip_prefix('/').or_else(|| path.strip_prefix("./")) {
            Some(rest) => format!("./{rest}"),
            None => path.to_owned(),
        },
    };
    if path.contains('{') {
        return Err("braces in a path are not known here; write a list");
    }
    let example = path.replace("**", "x").replace(['*', '?'], "x");
    let example = example.strip_prefix("./").unwrap_or(&example);
    made.keys.push((key, json!(path)));
    made.fires.push(case(example));
    made.none.push(if path == "**" { json!("true") } else { case("/nowhere/else") });
    Ok(())
}

fn mcp(made: &mut Made, entry: &str) {
    let rest = entry.trim_start_matches("mcp__");
    let (server, tool) = rest.split_once("__").unwrap_or((rest, "*"));
    let mut table = json!({"server": server});
    if tool != "*" {
        table["tool"] = json!(tool);
    }
    made.keys.push(("mcp", table));
    let plain = tool.replace('*', "x");
    made.fires.push(json!({"tool": format!("mcp__{server}__{plain}"), "input": {}}));
    made.none.push(json!({"tool": "mcp__another-server__x", "input": {}}));
}
