//! Names to addresses, by `/etc/hosts` and the name servers of `/etc/resolv.conf`.
//!
//! Only for static executables. There the C library's own way is to load whatever shared objects the machine's `nsswitch.conf` names,
//! of whatever version the machine has, into a process that was linked with another; that ends in a crash as often as in an
//! address, and a hook that crashes lets the command through.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::files;

const IPV4: u16 = 1;
const IPV6: u16 = 28;
/// How long the second kind of address is waited for when the first is there.
const GRACE: Duration = Duration::from_millis(50);
/// How often each server is asked.
const ROUNDS: u32 = 2;

#[derive(Debug)]
pub(super) struct Names {
    /// The text of a file of hosts.
    hosts: String,
    servers: Vec<SocketAddr>,
}

impl Names {
    pub(super) fn of_this_machine() -> Self {
        let read = |path: &str| files::read(Path::new(path)).ok().flatten().unwrap_or_default();
        let settings = read("/etc/resolv.conf");
        let servers = settings
            .lines()
            .filter_map(|line| {
                line.trim().strip_prefix("nameserver")?.split_whitespace().next()?.parse().ok()
            })
            .map(|address: IpAddr| SocketAddr::new(address, 53));
        Self { servers: servers.take(3).collect(), hosts: read("/etc/hosts") }
    }

    fn look_up(&self, host: &str, limit: Duration) -> io::Result<Vec<IpAddr>> {
        if let Ok(address) = host.trim_matches(['[', ']']).parse() {
            return Ok(vec![address]);
        }
        if host.eq_ignore_ascii_case("localhost") {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let listed = self.listed(host);
        if !listed.is_empty() {
            return Ok(listed);
        }
        let end = Instant::now() + limit;
        let tries = u32::try_from(self.servers.len()).unwrap_or(1).max(1) * ROUNDS;
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "/etc/resolv.conf names no server");
        for server in (0..ROUNDS).flat_map(|_| &self.servers) {
            let left = end.saturating_duration_since(Instant::now()).min(limit / tries);
            match ask(*server, host, left) {
                Ok(found) if !found.is_empty() => return Ok(found),
                Ok(_) => {
                    return Err(io::Error::new(io::ErrorKind::NotFound, format!("{host} has no address")));
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn listed(&self, host: &str) -> Vec<IpAddr> {
        let lines = self.hosts.lines().filter_map(|line| {
            let mut words = line.split('#').next()?.split_whitespace();
            let address = words.next()?.parse().ok()?;
            words.any(|name| name.eq_ignore_ascii_case(host)).then_some(address)
        });
        lines.collect()
    }
}

impl Resolver for Names {
    fn resolve(
        &self,
        uri: &Uri,
        _: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().ok_or(ureq::Error::HostNotFound)?;
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("http") { 80 } else { 443 });
        let mut found = self.empty();
        for address in self.look_up(host, *timeout.after)?.into_iter().take(8) {
            found.push(SocketAddr::new(address, port));
        }
        Ok(found)
    }
}

/// Asks one server for both kinds of addresses. An error is a reason to ask another one.
fn ask(server: SocketAddr, host: &str, limit: Duration) -> io::Result<Vec<IpAddr>> {
    let any: IpAddr =
        if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((any, 0))?;
    // Packets from elsewhere are not let in.
    socket.connect(server)?;
    let mut open = Vec::new();
    for kind in [IPV4, IPV6] {
        let question = query(host, kind)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, format!("{host} is not a name")))?;
        socket.send(&question)?;
        open.push(question);
    }
    let mut end = Instant::now() + limit;
    let (mut found, mut failed) = (Vec::new(), false);
    let mut packet = [0; 1500];
    while !open.is_empty() {
        let left = end.saturating_duration_since(Instant::now());
        let received = if left.is_zero() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            socket.set_read_timeout(Some(left)).and_then(|()| socket.recv(&mut packet))
        };
        match received {
            Ok(length) => {
                let answered = open.iter().position(|question| is_answer(&packet[..length], question));
                let Some(at) = answered else { continue };
                let question = open.remove(at);
                match addresses(&packet[..length], question.len()) {
                    Some(addresses) => found.extend(addresses),
                    None => failed = true,
                }
                if !found.is_empty() {
                    end = end.min(Instant::now() + GRACE);
                }
            }
            Err(_) if !found.is_empty() => break,
            Err(error) => {
                return Err(io::Error::new(
                    error.kind(),
                    format!("{server} did not look up {host}: {error}"),
                ));
            }
        }
    }
    if found.is_empty() && failed {
        return Err(io::Error::other(format!("{server} could not look up {host}")));
    }
    // The older kind first: where only one of them gets through, it is that one.
    found.sort_by_key(IpAddr::is_ipv6);
    Ok(found)
}

/// A question for a name server: a header, the name in pieces, the kind of record.
fn query(host: &str, kind: u16) -> Option<Vec<u8>> {
    let id = RandomState::new().hash_one(host).to_be_bytes();
    // Recursion is wanted; one question.
    let mut packet = vec![id[0], id[1], 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in host.trim_end_matches('.').split('.') {
        packet.push(u8::try_from(label.len()).ok().filter(|length| (1..=63).contains(length))?);
        packet.extend(label.bytes());
    }
    packet.push(0);
    packet.extend(kind.to_be_bytes());
    packet.extend([0, 1]);
    Some(packet)
}

fn is_answer(packet: &[u8], question: &[u8]) -> bool {
    let repeated = packet.get(12..question.len());
    packet.get(..2) == question.get(..2)
        && packet.get(2).is_some_and(|flags| flags & 0x80 != 0)
        && repeated.is_some_and(|text| text.eq_ignore_ascii_case(&question[12..]))
}

/// The addresses in an answer whose records begin at `at`. `None` when the server could not tell, or the packet is broken.
fn addresses(packet: &[u8], mut at: usize) -> Option<Vec<IpAddr>> {
    const FINE: u8 = 0;
    const NO_SUCH_NAME: u8 = 3;
    if !matches!(packet.get(3)? & 0x0f, FINE | NO_SUCH_NAME) {
        return None;
    }
    let number = |at: usize| Some(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]));
    let mut found = Vec::new();
    for _ in 0..number(6)? {
        at = after_name(packet, at)?;
        let (kind, length) = (number(at)?, usize::from(number(at + 8)?));
        let data = packet.get(at + 10..at + 10 + length)?;
        if let (IPV4, Ok(bytes)) = (kind, <[u8; 4]>::try_from(data)) {
            found.push(bytes.into());
        } else if let (IPV6, Ok(bytes)) = (kind, <[u8; 16]>::try_from(data)) {
            found.push(bytes.into());
        }
        at += 10 + length;
    }
    Some(found)
}

/// Where a name ends: at an empty piece, or behind a pointer to the rest of it.
fn after_name(packet: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *packet.get(at)? {
            0 => return Some(at + 1),
            pointer if pointer & 0xc0 == 0xc0 => return Some(at + 2),
            length => at += 1 + usize::from(length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    /// An answer to `question`: an alias and one address.
    fn reply(question: &[u8], rcode: u8) -> Vec<u8> {
        let kind = question[question.len() - 3];
        let mut packet = question.to_vec();
        packet[2] |= 0x80;
        packet[3] = 0x80 | rcode;
        if rcode != 0 {
            return packet;
        }
        packet[7] = 2;
        packet.extend([0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 4, 1, b'a', 0xc0, 12]);
        packet.extend([0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0]);
        match u16::from(kind) {
            IPV4 => packet.extend([4, 192, 0, 2, 7]),
            _ => packet.extend([&[16][..], &Ipv6Addr::LOCALHOST.octets()].concat()),
        }
        packet
    }

    /// A name server that gives each question to `answer`.
    fn server(answer: impl Fn(&[u8]) -> Option<Vec<u8>> + Send + 'static) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut packet = [0; 512];
            while let Ok((length, from)) = socket.recv_from(&mut packet) {
                if let Some(answer) = answer(&packet[..length]) {
                    let _ = socket.send_to(&answer, from);
                }
            }
        });
        address
    }

    fn names(servers: &[SocketAddr]) -> Names {
        Names { hosts: "# mine\n192.0.2.1 box box.example # here\n".into(), servers: servers.to_vec() }
    }

    #[test]
    fn addresses_names_of_this_machine_and_listed_hosts_ask_nobody() {
        let names = names(&[]);
        let found = |host: &str| names.look_up(host, LONG).unwrap();
        assert_eq!(found("192.0.2.9"), [IpAddr::from([192, 0, 2, 9])]);
        assert_eq!(found("[::1]"), [IpAddr::from(Ipv6Addr::LOCALHOST)]);
        assert_eq!(found("localhost").len(), 2);
        assert_eq!(found("BOX.example"), [IpAddr::from([192, 0, 2, 1])]);
        assert!(names.look_up("api.example", LONG).is_err());
    }

    #[test]
    fn a_name_server_is_asked_for_both_kinds() {
        let both = names(&[server(|question| Some(reply(question, 0)))]);
        let expected = [IpAddr::from([192, 0, 2, 7]), IpAddr::from(Ipv6Addr::LOCALHOST)];
        assert_eq!(both.look_up("api.example", LONG).unwrap(), expected);
    }

    #[test]
    fn a_server_that_cannot_tell_is_not_the_last_word() {
        let broken = server(|question| Some(reply(question, 2)));
        let good = server(|question| Some(reply(question, 0)));
        assert_eq!(names(&[broken, good]).look_up("api.example", LONG).unwrap().len(), 2);
        let half =
            server(|question| Some(reply(question, if question[question.len() - 3] == 1 { 0 } else { 2 })));
        assert_eq!(names(&[half]).look_up("api.example", LONG).unwrap(), [IpAddr::from([192, 0, 2, 7])]);
        let none = server(|question| Some(reply(question, 3)));
        assert_eq!(
            names(&[none]).look_up("api.example", LONG).unwrap_err().to_string(),
            "api.example has no address"
        );
    }

    #[test]
    fn silence_and_nonsense_end_with_the_time() {
        let started = Instant::now();
        let silent = server(|_| None);
        let nonsense = server(|question| {
            Some(reply(&query("other.example", 1).unwrap(), 0)).filter(|_| !question.is_empty())
        });
        assert!(names(&[silent, nonsense]).look_up("api.example", Duration::from_millis(80)).is_err());
        assert!(started.elapsed() < LONG);
        assert!(names(&[silent]).look_up(&"x".repeat(70), LONG).is_err());
    }

    #[test]
    fn a_packet_that_is_cut_anywhere_is_no_answer_and_no_fault() {
        let question = query("api.example", IPV4).unwrap();
        let whole = reply(&question, 0);
        assert_eq!(addresses(&whole, question.len()).unwrap().len(), 1);
        for length in 0..whole.len() {
            assert_eq!(addresses(&whole[..length], question.len()), None, "{length}");
            let _ = is_answer(&whole[..length], &question);
        }
    }
}
