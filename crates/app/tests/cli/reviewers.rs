//! The two reviewers of the second opinion, on 127.0.0.1: a server that speaks what their APIs speak, says what a test wants
//! said, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};

/// What a reviewer does with a question.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    /// A verdict, as the model was told to write it.
    Verdict(&'static str, &'static str),
    /// Any other text of the model.
    Text(String),
    /// Another status than 200, with a header.
    Status(u16, String),
    /// It takes the question and never answers.
    Nothing,
}

/// One request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Json,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn is_gemini(&self) -> bool {
        self.path.ends_with(":generateContent")
    }

    /// What the user's message says.
    pub(crate) fn question(&self) -> Json {
        let path = if self.is_gemini() { "/contents/0/parts/0/text" } else { "/messages/1/content" };
        let text = self.body.pointer(path).unwrap();
        serde_json::from_str(text.as_str().unwrap()).unwrap()
    }
}

#[derive(Default)]
struct Heard {
    connections: usize,
    asked: Vec<Asked>,
    /// Connections that are kept open for nothing.
    open: Vec<TcpStream>,
}

pub(crate) struct Reviewers {
    base: String,
    heard: Arc<Mutex<Heard>>,
}

impl Reviewers {
    /// Runs until the test program ends.
    pub(crate) fn new(gemini: Says, openai: Says) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Heard::default()));
        let shared = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (heard, gemini, openai) = (Arc::clone(&shared), gemini.clone(), openai.clone());
                heard.lock().unwrap().connections += 1;
                std::thread::spawn(move || serve(stream.unwrap(), &heard, &gemini, &openai));
            }
        });
        Self { base, heard }
    }

    pub(crate) fn gemini_url(&self) -> String {
        format!("{}/v1beta", self.base)
    }

    pub(crate) fn openai_url(&self) -> String {
        format!("{}/v1", self.base)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.heard.lock().unwrap().asked.clone()
    }

    /// Who was asked, in order.
    pub(crate) fn who(&self) -> Vec<&'static str> {
        self.asked().iter().map(|asked| if asked.is_gemini() { "gemini" } else { "openai" }).collect()
    }

    pub(crate) fn connections(&self) -> usize {
        self.heard.lock().unwrap().connections
    }
}

fn serve(stream: TcpStream, heard: &Mutex<Heard>, gemini: &Says, openai: &Says) {
    let Some(asked) = read(&stream) else { return };
    heard.lock().unwrap().asked.push(asked.clone());
    let says = if asked.is_gemini() { gemini } else { openai };
    if let Some(wrong) = refusal(&asked) {
        return answer(&stream, 400, "x: y", &json!({"error": {"code": 400, "message": wrong}}));
    }
    match says {
        Says::Nothing => heard.lock().unwrap().open.push(stream),
        Says::Status(status, header) => {
            answer(
                &stream,
                *status,
                header,
                &json!({"error": {"code": status, "message": "Quota exceeded."}}),
            );
        }
        Says::Verdict(verdict, reason) => {
            let text =
                json!({"verdict": verdict, "confidence": 0.9, "reason": reason, "problematic_part": ""});
            speak(&stream, &asked, &text.to_string());
        }
        Says::Text(text) => speak(&stream, &asked, text),
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    assert_eq!(words.next()?, "POST");
    let path = words.next()?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { path, headers, body: serde_json::from_slice(&body).ok()? })
}

/// What the real APIs would not take.
fn refusal(asked: &Asked) -> Option<String> {
    let text = |path: &str| asked.body.pointer(path).and_then(Json::as_str).unwrap_or_default();
    let (wanted, key) = if asked.is_gemini() {
        (["/systemInstruction/parts/0/text", "/contents/0/parts/0/text"], asked.header("x-goog-api-key"))
    } else {
        // JSON mode is refused unless the messages speak of JSON.
        if asked.path != "/v1/chat/completions"
            || !text("/messages/0/content").contains("JSON")
            || text("/model").is_empty()
        {
            return Some(format!("{} {}", asked.path, asked.body));
        }
        let key = asked.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        (["/messages/0/content", "/messages/1/content"], key)
    };
    if wanted.iter().any(|path| text(path).is_empty()) {
        return Some(format!("a text is missing in {}", asked.body));
    }
    (key.is_none_or(str::is_empty)).then(|| "API key not valid. Please pass a valid API key.".into())
}

/// The model's words in the form of the API that was asked.
fn speak(stream: &TcpStream, asked: &Asked, text: &str) {
    if asked.is_gemini() {
        let body = json!({
            "candidates": [{
                "content": {"parts": [{"text": text}], "role": "model"},
                "finishReason": "STOP",
                "avgLogprobs": -0.012,
            }],
            "usageMetadata": {"promptTokenCount": 312, "candidatesTokenCount": 41, "totalTokenCount": 353},
            "modelVersion": "gemini-2.0-flash",
            "responseId": "r1",
        });
        // Google's servers send JSON spread out and in chunks.
        return answer_in_chunks(stream, &format!("{body:#}\n"));
    }
    let body = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_767_556_091,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": null},
            "logprobs": null,
            "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 312, "completion_tokens": 41, "total_tokens": 353},
    });
    answer(stream, 200, "x-request-id: 1", &body);
}

fn answer(mut stream: &TcpStream, status: u16, header: &str, body: &Json) {
    let body = body.to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 {status} Some\r\ncontent-type: application/json\r\n{header}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
}

fn answer_in_chunks(mut stream: &TcpStream, body: &str) {
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=UTF-8\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    for chunk in body.as_bytes().chunks(100) {
        let _ = write!(stream, "{:x}\r\n", chunk.len());
        let _ = stream.write_all(chunk);
        let _ = stream.write_all(b"\r\n");
    }
    let _ = stream.write_all(b"0\r\n\r\n");
}
