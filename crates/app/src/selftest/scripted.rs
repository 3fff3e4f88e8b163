//! A stand-in for a model, on 127.0.0.1 only: it answers the client's requests with turns that were written beforehand, and keeps
//! what it was asked. With it the real client can be driven without any network.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value as Json, json};

/// No request of a client is longer.
const LARGEST: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct ScriptedModel {
    port: u16,
    script: Arc<Mutex<Script>>,
}

#[derive(Debug, Default)]
struct Script {
    /// Content blocks of each answer.
    turns: Vec<Json>,
    served: usize,
    /// The first session that asks; others are clients that a hook has started.
    session: Option<String>,
    /// Bodies of the main conversation's requests.
    asked: Vec<Json>,
}

impl ScriptedModel {
    /// Listens on a free port until the process ends.
    pub(super) fn start(turns: Vec<Json>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let script = Arc::new(Mutex::new(Script { turns, ..Script::default() }));
        let shared = Arc::clone(&script);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = Arc::clone(&shared);
                // A client that goes away in the middle is not our concern.
                std::thread::spawn(move || serve(&stream, &script));
            }
        });
        Ok(Self { port, script })
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Names of the tools that it was offered, each once.
    pub(super) fn offered(&self) -> Vec<String> {
        let script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        let tools = script.asked.iter().flat_map(|body| body["tools"].as_array().into_iter().flatten());
        let names = tools.filter_map(|tool| tool["name"].as_str());
        // One of them does nothing: it keeps a feature of the protocol switched on.
        let mut names: Vec<String> =
            names.filter(|name| *name != "DeferredToolPlaceholder").map(str::to_owned).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Everything that the model was shown so far, as text.
    pub(super) fn shown(&self) -> String {
        let script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        script.asked.last().map(|body| body["messages"].to_string()).unwrap_or_default()
    }
}

fn serve(stream: &TcpStream, script: &Mutex<Script>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let header =
        |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let body = match (header("transfer-encoding"), header("content-length")) {
        (Some("chunked"), _) => chunked(&mut reader)?,
        (_, Some(length)) => exactly(&mut reader, length.parse().unwrap_or(0))?,
        _ => Vec::new(),
    };
    let path = first.split_whitespace().nth(1).unwrap_or_default();
    if !first.starts_with("POST") || !path.starts_with("/v1/messages") {
        return answer(stream, "404 Not Found", "application/json", "{}");
    }
    let body: Json = serde_json::from_slice(&body).unwrap_or_default();
    let content =
        script.lock().unwrap_or_else(PoisonError::into_inner).next(header("x-claude-code-session-id"), &body);
    let message = message(&content, body["model"].as_str().unwrap_or("scripted"));
    if body["stream"] == true {
        answer(stream, "200 OK", "text/event-stream", &events(&message))
    } else {
        answer(stream, "200 OK", "application/json", &message.to_string())
    }
}

fn exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.min(LARGEST)];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn chunked(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim().split(';').next().unwrap_or("0"), 16).unwrap_or(0);
        if length == 0 || bytes.len() + length > LARGEST {
            return Ok(bytes);
        }
        bytes.extend(exactly(reader, length)?);
        reader.read_line(&mut line)?;
    }
}

fn answer(mut stream: &TcpStream, status: &str, kind: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

impl Script {
    /// The answer to a request: a turn for the main conversation, a word for everything else (titles, other clients).
    fn next(&mut self, session: Option<&str>, body: &Json) -> Json {
        if let Some(session) = session {
            let first = self.session.get_or_insert_with(|| session.to_owned());
            if first != session {
                return said("Nothing to do.");
            }
        }
        let has_tools = body["tools"]
            .as_array()
            .is_some_and(|tools| tools.iter().any(|tool| !tool["input_schema"].is_null()));
        if !has_tools || body["max_tokens"] == 1 {
            return said("ok");
        }
        self.asked.push(body.clone());
        self.served += 1;
        self.turns.get(self.served - 1).cloned().unwrap_or_else(|| said("Done."))
    }
}

fn said(text: &str) -> Json {
    json!([{"type": "text", "text": text}])
}

fn message(content: &Json, model: &str) -> Json {
    let uses_tool =
        content.as_array().is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "tool_use"));
    json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": if uses_tool { "tool_use" } else { "end_turn" }, "stop_sequence": null,
        "usage": {"input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 20},
    })
}

/// One whole message as server-sent events.
fn events(message: &Json) -> String {
    let mut text = String::new();
    let mut event = |name: &str, mut data: Json| {
        data["type"] = name.into();
        let _ = write!(text, "event: {name}\ndata: {data}\n\n");
    };
    let mut opening = message.clone();
    opening["content"] = json!([]);
    opening["stop_reason"] = Json::Null;
    event("message_start", json!({"message": opening}));
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let (start, delta) = if block["type"] == "tool_use" {
            let mut start = block.clone();
            start["input"] = json!({});
            (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
        } else {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
        };
        event("content_block_start", json!({"index": index, "content_block": start}));
        event("content_block_delta", json!({"index": index, "delta": delta}));
        event("content_block_stop", json!({"index": index}));
    }
    event(
        "message_delta",
        json!({"delta": {"stop_reason": message["stop_reason"], "stop_sequence": null}, "usage": message["usage"]}),
    );
    event("message_stop", json!({}));
    text
}
