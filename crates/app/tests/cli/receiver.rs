//! An OTLP receiver on 127.0.0.1 that takes what it is sent, or does whatever a server does that is not well, and remembers what it took. Its
//! reader of protocol buffers is its own.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What it does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Takes,
    /// Takes it, and says so too late.
    TakesAndHangs,
    /// Another status than 200, without having looked.
    Refuses(u16),
    /// 200, and a page.
    Greets,
    /// 200, and bytes.
    Babbles,
    /// Ends the connection.
    HangsUp,
}

#[derive(Default)]
struct Heard {
    next: VecDeque<Does>,
    took: Vec<(String, BTreeMap<String, String>, Vec<u8>)>,
    connections: usize,
    open: Vec<TcpStream>,
}

pub(crate) struct Receiver {
    pub(crate) base: String,
    heard: Arc<Mutex<Heard>>,
}

impl Receiver {
    /// Runs until the test program ends.
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Heard::default()));
        let shared = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let heard = Arc::clone(&shared);
                heard.lock().unwrap().connections += 1;
                std::thread::spawn(move || serve(stream.unwrap(), &heard));
            }
        });
        Self { base, heard }
    }

    /// What it does with the next requests; then it takes them.
    pub(crate) fn does(&self, next: &[Does]) {
        self.heard.lock().unwrap().next.extend(next);
    }

    /// From now on it is well.
    pub(crate) fn recovers(&self) {
        self.heard.lock().unwrap().next.clear();
    }

    pub(crate) fn connections(&self) -> usize {
        self.heard.lock().unwrap().connections
    }

    pub(crate) fn took(&self, path: &str) -> Vec<Vec<u8>> {
        let heard = self.heard.lock().unwrap();
        heard.took.iter().filter(|(known, _, _)| known == path).map(|(_, _, body)| body.clone()).collect()
    }

    pub(crate) fn headers(&self) -> Vec<BTreeMap<String, String>> {
        self.heard.lock().unwrap().took.iter().map(|(_, headers, _)| headers.clone()).collect()
    }

    /// The attributes of every record that it took, as text.
    pub(crate) fn records(&self) -> Vec<BTreeMap<String, String>> {
        let bodies = self.took("/v1/logs");
        let records =
            bodies.iter().flat_map(|body| below(body, &[1, 2, 2])).map(|record| attributes(&record, 6));
        records.collect()
    }

    /// Of the last totals: the sum of a counter over all of its series.
    pub(crate) fn total(&self, metric: &str) -> u64 {
        let bodies = self.took("/v1/metrics");
        let Some(last) = bodies.last() else { return 0 };
        let metrics = below(last, &[1, 2, 2]);
        let found = metrics.iter().find(|one| below(one, &[1]) == [metric.as_bytes()]);
        let points = found.map(|one| below(one, &[7, 1])).unwrap_or_default();
        // A new series begins with a zero, so the larger of two counts.
        let mut series: BTreeMap<BTreeMap<String, String>, u64> = BTreeMap::new();
        for point in &points {
            let value =
                fields(point).iter().find(|(field, _)| *field == 6).map_or(0, |(_, data)| number(data));
            let held = series.entry(attributes(point, 7)).or_default();
            *held = value.max(*held);
        }
        series.values().sum()
    }
}

fn serve(stream: TcpStream, heard: &Mutex<Heard>) {
    let Some((path, headers, body)) = read(&stream) else { return };
    let does = heard.lock().unwrap().next.pop_front().unwrap_or(Does::Takes);
    if matches!(does, Does::Takes | Does::TakesAndHangs) {
        heard.lock().unwrap().took.push((path, headers, body));
    }
    match does {
        Does::Takes => answer(&stream, 200, "application/x-protobuf", ""),
        Does::TakesAndHangs => heard.lock().unwrap().open.push(stream),
        Does::Refuses(status) => answer(&stream, status, "text/plain", "no"),
        Does::Greets => answer(&stream, 200, "text/html", "<html>Please log in</html>"),
        Does::Babbles => answer(&stream, 200, "application/x-protobuf", "\u{1}\u{2}\u{3}garbage"),
        Does::HangsUp => drop(stream),
    }
}

fn read(stream: &TcpStream) -> Option<(String, BTreeMap<String, String>, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some((path, headers, body))
}

fn answer(mut stream: &TcpStream, status: u16, kind: &str, body: &str) {
    // The other side may be gone.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} x\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// Field and bytes; of a number its eight bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let length = match key & 7 {
            0 => {
                fields.push((key >> 3, varint(&mut bytes).to_le_bytes().to_vec()));
                continue;
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)).unwrap(),
            other => panic!("wire type {other}"),
        };
        let (data, rest) = bytes.split_at(length);
        fields.push((key >> 3, data.to_vec()));
        bytes = rest;
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let end = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap();
    let value = bytes[..=end].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    *bytes = &bytes[end + 1..];
    value
}

fn number(data: &[u8]) -> u64 {
    u64::from_le_bytes(data.try_into().unwrap())
}

/// Everything at a path of fields.
fn below(bytes: &[u8], path: &[u64]) -> Vec<Vec<u8>> {
    let Some((first, rest)) = path.split_first() else { return vec![bytes.to_vec()] };
    let here = fields(bytes).into_iter().filter(|(field, _)| field == first);
    here.flat_map(|(_, data)| below(&data, rest)).collect()
}

fn attributes(bytes: &[u8], field: u64) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let value = |bytes: &[u8]| match fields(bytes).first() {
        Some((1, data)) => text(data),
        Some((2 | 3, data)) => number(data).to_string(),
        Some((5, list)) => below(list, &[1, 1]).iter().map(|one| text(one)).collect::<Vec<_>>().join(","),
        other => panic!("{other:?}"),
    };
    below(bytes, &[field])
        .iter()
        .map(|pair| (text(&below(pair, &[1])[0]), value(&below(pair, &[2])[0])))
        .collect()
}
