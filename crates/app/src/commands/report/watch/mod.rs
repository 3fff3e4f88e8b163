//! `plimsoll report --watch`: the page on this machine's own address, read only. `door` decides who gets in; nothing here writes
//! anything but answers.

mod door;

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use serde_json::json;
use state::log::{Record, Tail};
use state::{Machine, Project, browser};

use self::door::{Door, Passed};
use super::html;
use super::page::{self, Wanted};
use crate::commands::stats;
use crate::exit;
use crate::ui::Printer;

/// A browser has a few; more is nobody's wish.
const MOST_AT_ONCE: usize = 16;
const LONGEST_REQUEST: usize = 16 * 1024;

struct Server<'a> {
    machine: &'a Machine,
    wanted: Wanted,
    door: Door,
    busy: AtomicUsize,
}

pub(super) fn run(machine: &Machine, printer: &Printer, wanted: Wanted, open: bool) -> anyhow::Result<u8> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port could be had on 127.0.0.1")?;
    let port = listener.local_addr().context("the port is not known")?.port();
    let server = Server { machine, wanted, door: Door::new(port), busy: AtomicUsize::new(0) };
    let address = server.door.address();
    printer.line(&address);
    printer.note("That address works once. The page is served to this machine only, until you press Ctrl-C.");
    if open && let Err(error) = browser::open(machine, &address) {
        printer.note(&format!("no browser could be opened ({error}); open the address yourself"));
    }
    std::thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            let server = &server;
            scope.spawn(move || {
                if server.busy.fetch_add(1, Ordering::SeqCst) < MOST_AT_ONCE {
                    // Whoever has gone away needs no answer.
                    let _ = server.serve(stream);
                }
                server.busy.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    Ok(exit::OK)
}

impl Server<'_> {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.set_write_timeout(Some(Duration::from_secs(10)))?;
        let head = read_head(&mut stream)?;
        match self.door.judge(&head) {
            Passed::Enter(cookie) => {
                let more = format!("Location: /\r\nSet-Cookie: {cookie}\r\n");
                respond(&mut stream, "303 See Other", "text/plain; charset=utf-8", &more, "")?;
            }
            Passed::Page => {
                let page =
                    page::page(self.machine, &stats::summary(self.machine, self.wanted.all), self.wanted);
                respond(&mut stream, "200 OK", "text/html; charset=utf-8", "", &page)?;
            }
            Passed::Events => return self.follow(stream),
            Passed::Nothing => respond(&mut stream, "204 No Content", "text/plain; charset=utf-8", "", "")?,
            Passed::Refused(status, why) => {
                respond(&mut stream, status, "text/plain; charset=utf-8", "", &format!("{why}\n"))?;
            }
        }
        stream.shutdown(Shutdown::Write)
    }

    /// Records as they come, until nobody reads them.
    fn follow(&self, mut stream: TcpStream) -> io::Result<()> {
        let project = Project::here(self.machine).root.to_string_lossy().into_owned();
        let mut tail = Tail::new(self.machine);
        // What is there already is in the page.
        tail.more()?;
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n{}\r\n",
            safety()
        )?;
        stream.write_all(b"retry: 2000\n\n")?;
        let mut quiet = 0;
        loop {
            for (record, _) in tail.more()? {
                if self.wanted.all || record.project == project {
                    write!(stream, "data: {}\n\n", told(&record))?;
                }
            }
            quiet += 1;
            if quiet % 10 == 0 {
                // Whether anybody is there.
                stream.write_all(b":\n\n")?;
            }
            std::thread::sleep(Duration::from_millis(250));
        }
    }
}

/// What the page shows of a record that has just come.
fn told(record: &Record) -> serde_json::Value {
    let text = |text: &str| model::visible(&model::redact(text)).into_owned();
    json!({
        "when": record.time,
        "verdict": record.verdict,
        "kind": html::kind(&record.verdict, &record.event),
        "words": html::kind_words(html::kind(&record.verdict, &record.event)),
        "stopped": matches!(record.verdict.as_str(), "deny" | "ask") || !record.failures.is_empty(),
        "what": text(if record.tool.is_empty() { &record.event } else { &record.tool }),
        "subject": text(&record.subject),
        "reason": text(&record.reason),
        "rules": record.rules.iter().map(|rule| text(rule)).collect::<Vec<_>>(),
    })
}

/// The request without a body: nothing here takes one.
fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut part)?;
        if read == 0 || head.len() + read > LONGEST_REQUEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        head.extend_from_slice(&part[..read]);
    }
    Ok(head)
}

/// What every answer says: nobody may keep it, frame it, or take it for something else.
fn safety() -> String {
    format!(
        "Content-Security-Policy: {}; frame-ancestors 'none'\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n",
        page::policy(true)
    )
}

fn respond(stream: &mut TcpStream, status: &str, kind: &str, more: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{}{more}\r\n",
        body.len(),
        safety()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
