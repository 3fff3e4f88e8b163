//! Paths in a command, as text. Holes may be anywhere in them.

use std::borrow::Cow;

/// A path of Windows where a Linux beside it would have it: `C:\Users\me` is `/mnt/c/Users/me`, a share is a disk that was put in, and the
/// registry is a folder of its own. Every other path is left as it is.
pub fn unfolded(path: &str) -> Cow<'_, str> {
    let bytes = path.as_bytes();
    let drive = bytes.len() > 1
        && bytes[1] == b':'
        && bytes[0].is_ascii_alphabetic()
        && matches!(bytes.get(2), None | Some(b'\\' | b'/' | b'*'));
    if drive {
        return format!(
            "/mnt/{}/{}",
            char::from(bytes[0].to_ascii_lowercase()),
            path[2..].replace('\\', "/").trim_start_matches('/')
        )
        .into();
    }
    // Most are none of these.
    if !matches!(bytes.first(), Some(b'\\' | b'h' | b'H' | b'r' | b'R' | b'f' | b'F' | b'm' | b'M')) {
        return path.into();
    }
    if let Some(rest) = path.strip_prefix("\\\\?\\").or(path.strip_prefix("\\\\.\\")) {
        let disk = rest.get(..13).is_some_and(|name| name.eq_ignore_ascii_case("PhysicalDrive"));
        return if disk {
            format!("/dev/disk/by-id/{rest}").into()
        } else {
            unfolded(rest).into_owned().into()
        };
    }
    if let Some(share) = path.strip_prefix("\\\\") {
        let rest = share.replace('\\', "/");
        return format!("/Volumes/{}", rest.replacen('/', "+", 1)).into();
    }
    if path.starts_with('\\') {
        return path.replace('\\', "/").into();
    }
    match path.split_once("::") {
        Some((provider, rest))
            if provider.len() >= 10 && provider.to_ascii_lowercase().ends_with("filesystem") =>
        {
            return unfolded(rest).into_owned().into();
        }
        Some((provider, rest)) if provider.to_ascii_lowercase().ends_with("registry") => {
            return hive(rest).unwrap_or_else(|| path.into());
        }
        _ => {}
    }
    hive(path).unwrap_or_else(|| path.into())
}

/// `HKLM:\Software`, `HKEY_LOCAL_MACHINE\Software`, `HKLM\Software`
fn hive(path: &str) -> Option<Cow<'_, str>> {
    const HIVES: &[(&str, &str)] = &[
        ("hklm", "HKLM"),
        ("hkcu", "HKCU"),
        ("hkcr", "HKCR"),
        ("hku", "HKU"),
        ("hkcc", "HKCC"),
        ("hkey_local_machine", "HKLM"),
        ("hkey_current_user", "HKCU"),
        ("hkey_classes_root", "HKCR"),
        ("hkey_users", "HKU"),
        ("hkey_current_config", "HKCC"),
    ];
    let end = path.find([':', '\\', '/']).unwrap_or(path.len());
    let (_, name) = HIVES.iter().find(|(name, _)| path[..end].eq_ignore_ascii_case(name))?;
    let rest = path[end..].trim_start_matches(':').replace('\\', "/");
    Some(format!("/Registry/{name}/{}", rest.trim_start_matches('/')).into())
}

/// Joined to `cwd`, with `.`, `..` and doubled slashes taken out.
pub fn absolute(path: &str, cwd: &str) -> String {
    let path = &*unfolded(path);
    let cwd = if path.starts_with('/') { "" } else { cwd };
    // Without a folder, a path is from the root: `/` and the path.
    let rooted = cwd.is_empty() || cwd.starts_with('/');
    let mut clean = String::with_capacity(cwd.len() + path.len() + 1);
    for text in [cwd, path] {
        let bare = text.strip_prefix('/').unwrap_or(text);
        let bare = bare.strip_suffix('/').unwrap_or(bare);
        // The usual ones: there is nothing to take out.
        if is_clean(bare) {
            push(&mut clean, bare, rooted);
            continue;
        }
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => clean.truncate(clean.rfind('/').unwrap_or(0)),
                other => push(&mut clean, other, rooted),
            }
        }
    }
    if rooted && clean.is_empty() {
        clean.push('/');
    }
    clean
}

/// `/proc/self/cwd/x` and `/proc/1/root/x` are `x`: the kernel's names for the folder of a process, and for the root.
pub(crate) fn through_process(path: &str, cwd: &str) -> Option<String> {
    let tidy = absolute(path.strip_prefix("/proc/")?.split_once('/')?.1, "");
    let rest = tidy.strip_prefix("/cwd").map(|rest| (cwd, rest));
    let (from, rest) = rest.or_else(|| tidy.strip_prefix("/root").map(|rest| ("/", rest)))?;
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    // What goes up from there does so from where it leads.
    let behind =
        path.split_once("/cwd/").or_else(|| path.split_once("/root/")).map_or("", |(_, behind)| behind);
    let path = absolute(behind, from);
    Some(through_process(&path, cwd).unwrap_or(path))
}

/// A descriptor by any of its names: `/proc/self/fd/3` and `/dev/fd/3` are the same.
pub(crate) fn stream(absolute: &str) -> Option<String> {
    if let Some(number) = absolute.strip_prefix("/dev/fd/") {
        return Some(format!("/dev/fd/{number}"));
    }
    let (process, number) = absolute.strip_prefix("/proc/")?.split_once("/fd/")?;
    let own = matches!(process, "self" | "thread-self") || !process.contains('/');
    own.then(|| format!("/dev/fd/{number}"))
}

/// A descriptor, or the folder of all of them.
pub(crate) fn is_stream(absolute: &str) -> bool {
    absolute == "/dev/fd"
        || absolute.ends_with("/fd") && absolute.starts_with("/proc/")
        || stream(absolute).is_some()
}

fn push(clean: &mut String, part: &str, rooted: bool) {
    if rooted || !clean.is_empty() {
        clean.push('/');
    }
    clean.push_str(part);
}

/// Whether no part is empty or begins with a dot.
fn is_clean(path: &str) -> bool {
    let mut before = b'/';
    for &byte in path.as_bytes() {
        if before == b'/' && matches!(byte, b'/' | b'.') {
            return false;
        }
        before = byte;
    }
    before != b'/'
}

/// Whether `path` is `root` or below it.
pub fn is_below(path: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The last part.
pub fn name(path: &str) -> &str {
    if path.as_bytes().last() == Some(&b'/') { base(path.trim_end_matches('/')) } else { base(path) }
}

/// What stands behind the last slash.
pub(crate) fn base(path: &str) -> &str {
    last_slash(path.as_bytes()).map_or(path, |at| &path[at + 1..])
}

/// Eight bytes at once: every check asks for the names of every program and every word.
fn last_slash(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    let mut end = bytes.len();
    while let Some((_, eight)) = bytes[..end].split_last_chunk::<8>() {
        let other = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b'/'));
        // One of the eight is zero now, and was a slash.
        if other.wrapping_sub(ONES) & !other & (ONES << 7) != 0 {
            break;
        }
        end -= 8;
    }
    bytes[..end].iter().rposition(|byte| *byte == b'/')
}

/// Whether a path is where programs are.
pub fn is_program(path: &str) -> bool {
    ["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
        .iter()
        .any(|dir| path.strip_prefix(dir).is_some_and(|name| !name.contains('/')))
}

/// Whether `text` matches a shell pattern of `*`, `?` and `[…]`; a backslash takes the next character literally. Quadratic at
/// worst.
pub fn matches(pattern: &str, text: &str) -> bool {
    if !pattern.bytes().any(|b| matches!(b, b'*' | b'?' | b'[' | b'\\')) {
        return pattern == text;
    }
    if pattern.is_ascii() && text.is_ascii() {
        return fits(pattern.as_bytes(), text.as_bytes());
    }
    // Most patterns of a table fit nothing of a text, which may be long: their plain ends tell, before anything is copied.
    let special = ['*', '?', '[', '\\'];
    let head = pattern.find(special).map_or(pattern, |at| &pattern[..at]);
    let tail = pattern.rsplit('*').next().filter(|tail| !pattern.contains('[') && !tail.contains(special));
    if !text.starts_with(head) || tail.is_some_and(|tail| !text.ends_with(tail)) {
        return false;
    }
    fits(&pattern.chars().collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>())
}

/// A character of a pattern or of a text: a byte where all of them are ASCII.
trait Letter: Copy + Into<char> {}
impl Letter for u8 {}
impl Letter for char {}

fn fits<T: Letter>(pattern: &[T], text: &[T]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() && pattern[p].into() == '*' {
            back = Some((p + 1, t));
            p += 1;
            continue;
        }
        if t == text.len() {
            return pattern[p..].iter().all(|&c| c.into() == '*');
        }
        if p < pattern.len()
            && let Some(next) = one(pattern, p, text[t].into())
        {
            p = next;
            t += 1;
            continue;
        }
        match back {
            Some((star, from)) => {
                p = star;
                t = from + 1;
                back = Some((star, t));
            }
            None => return false,
        }
    }
}

/// How many characters a part of `text` may have that begins where it begins and matches, in rising order. One walk finds them all:
/// to try each length by itself would be cubic for whoever then asks at each place.
pub(crate) fn prefixes(pattern: &[char], text: &[char]) -> Vec<usize> {
    let mut lengths = Vec::new();
    // Places in the pattern that the text so far may have led to; a star leads on by itself.
    let arrive = |places: &mut Vec<usize>, mut at: usize| {
        while !places.contains(&at) {
            places.push(at);
            if pattern.get(at) != Some(&'*') {
                break;
            }
            at += 1;
        }
    };
    let mut places = Vec::new();
    arrive(&mut places, 0);
    for length in 0.. {
        if places.contains(&pattern.len()) {
            lengths.push(length);
        }
        let Some(&c) = text.get(length).filter(|_| !places.is_empty()) else { break };
        let mut next = Vec::new();
        for at in places {
            if pattern.get(at) == Some(&'*') {
                arrive(&mut next, at);
            } else if at < pattern.len()
                && let Some(on) = one(pattern, at, c)
            {
                arrive(&mut next, on);
            }
        }
        places = next;
    }
    lengths
}

/// Where the pattern goes on when its next item matches `c`.
fn one<T: Letter>(pattern: &[T], at: usize, c: char) -> Option<usize> {
    match pattern[at].into() {
        '?' => Some(at + 1),
        '[' => {
            let next: Option<char> = pattern.get(at + 1).map(|&next| next.into());
            let negated = matches!(next, Some('!' | '^'));
            let begin = at + 1 + usize::from(negated);
            // A bracket that comes first is a member; one that never closes is a bracket.
            let Some(end) = pattern
                .get(begin + 1..)
                .and_then(|rest| rest.iter().position(|&p| p.into() == ']'))
                .map(|i| begin + 1 + i)
            else {
                return (c == '[').then_some(at + 1);
            };
            let set = &pattern[begin..end];
            let mut found = false;
            let mut i = 0;
            while i < set.len() {
                if i + 2 < set.len() && set[i + 1].into() == '-' {
                    found |= set[i].into() <= c && c <= set[i + 2].into();
                    i += 3;
                } else {
                    found |= set[i].into() == c;
                    i += 1;
                }
            }
            (found != negated).then_some(end + 1)
        }
        '\\' if at + 1 < pattern.len() => (pattern[at + 1].into() == c).then_some(at + 2),
        p => (p == c).then_some(at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned() {
        assert_eq!(absolute("/tmp/../home/dev", "/p"), "/home/dev");
        assert_eq!(absolute("//", "/p"), "/");
        assert_eq!(absolute("../x/./y", "/p/q"), "/p/x/y");
        assert!(is_below("/etc/x", "/etc") && is_below("/etc", "/etc") && !is_below("/etcx", "/etc"));
    }

    #[test]
    fn paths_of_windows() {
        for (text, path) in [
            ("C:", "/mnt/c"),
            ("c:\\", "/mnt/c"),
            ("D:/x\\y", "/mnt/d/x/y"),
            ("\\", "/"),
            ("\\\\server\\share\\x", "/Volumes/server+share/x"),
            ("\\\\?\\C:\\Windows", "/mnt/c/Windows"),
            ("HKLM:\\Software\\X", "/Registry/HKLM/Software/X"),
            ("Registry::HKEY_CURRENT_USER\\Run", "/Registry/HKCU/Run"),
            ("HKCU\\Software", "/Registry/HKCU/Software"),
            ("host:file", "/p/host:file"),
            ("a:b", "/p/a:b"),
        ] {
            assert_eq!(absolute(text, "/p"), path, "{text}");
        }
    }

    #[test]
    fn patterns_match_as_in_a_shell() {
        assert!(
            matches("*.py", "a.py") && matches("ho?e", "home") && matches("[a-c]x", "bx") && matches("*", "")
        );
        assert!(!matches("*.py", "a.pyc") && !matches("[!a]x", "ax") && !matches("a", "ab"));
    }
}
