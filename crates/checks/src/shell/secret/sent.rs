//! Secrets that would leave the machine: by a program that sends, by what is piped to one, by words of a chat or a commit.

use model::Facts;
use model::deed::{Deed, Object, Verb};
use shell::programs::{Role, Where};
use shell::text::{SECRET, is_hole, show};
use shell::{Call, Reading, address};

use super::path::secret;
use crate::shell::place::{Place, place};

/// What would leave the machine, in words.
pub(super) fn sent(reading: &Reading, facts: &dyn Facts) -> Option<String> {
    let dumps = reading.calls.iter().any(is_dump);
    for call in &reading.calls {
        if asks_for_credentials(call) {
            return Some("a request for this machine's own credentials".into());
        }
        if let Some(what) = by_words(call, facts).or_else(|| by_redirect(call, facts)) {
            return Some(what);
        }
        if sends_home(reading, call, facts) && !call.deeds.iter().any(is_copy) {
            return Some("a whole home, or more".into());
        }
        // To a machine that one logs in to, a dump is a backup.
        let anybody = call.words().entry.is_some_and(|entry| entry.place != Where::Host);
        if dumps && anybody && !stays_here(call) && sends_input(call, is_hole) {
            return Some("a whole database, repository or set of secrets".into());
        }
    }
    reading.inline.iter().find_map(|(_, code)| in_code(code).then(|| "a secret".to_owned()))
}

/// To a machine that one logs in to: that may be a backup.
fn is_copy(deed: &Deed) -> bool {
    deed.verb == Verb::Sends && matches!(deed.object, Object::Host(_))
}

/// Whether a home goes to a machine that one logs in to.
pub(super) fn copies_home(reading: &Reading, facts: &dyn Facts) -> bool {
    reading.calls.iter().any(|call| call.deeds.iter().any(is_copy) && sends_home(reading, call, facts))
}

/// Whether everything in a home goes away: by itself, or packed and piped. What signs one in is among it.
fn sends_home(reading: &Reading, call: &Call, facts: &dyn Facts) -> bool {
    let all = |deed: &Deed, from: &Call| match &deed.object {
        Object::Path { text, tree: true, pattern } => {
            let arg = shell::Arg { text: text.clone(), span: None, glob: *pattern };
            matches!(place(&arg, from, facts), Place::Home | Place::Root)
        }
        _ => false,
    };
    if stays_here(call) || call.elsewhere || call.words().rehearses {
        return false;
    }
    let packed = |from: &Call| from.deeds.iter().any(|deed| deed.verb == Verb::Reads && all(deed, from));
    call.does(Verb::Sends)
        && (call.deeds.iter().any(|deed| deed.verb == Verb::Sends && all(deed, call))
            || sends_input(call, is_hole) && reading.calls[call.fed_by.clone()].iter().any(packed))
}

/// What nobody sends away without a thought: a folder of keys, the project as a whole, each file of its source, what a search for keys
/// has found. To a machine that one logs in to, only the first counts.
pub(super) fn doubtful(reading: &Reading, facts: &dyn Facts) -> Option<String> {
    let fed = |call: &Call| reading.calls[call.fed_by.clone()].iter().collect::<Vec<_>>();
    let pipes: Vec<String> = reading
        .calls
        .iter()
        .filter(|call| call.does(Verb::Keeps) && call.concerns("a pipe"))
        .flat_map(|call| call.texts().map(|text| shell::path::absolute(text, &call.cwd)).collect::<Vec<_>>())
        .collect();
    for call in &reading.calls {
        if stays_here(call) || call.elsewhere || call.words().rehearses {
            continue;
        }
        let sends = || call.deeds.iter().filter(|deed| deed.verb == Verb::Sends);
        if let Some(deed) = sends().find(|deed| is_key_folder(deed)) {
            return Some(format!("{}, a folder of keys,", show(deed.object.text())));
        }
        if sends().next().is_none()
            || call.deeds.iter().any(is_copy)
            || call.words().entry.is_some_and(|e| e.place == Where::Host)
        {
            continue;
        }
        let each = |deed: &&Deed| match &deed.object {
            Object::Path { text, pattern, .. } => {
                (*pattern || text.contains(is_hole)) && crate::shell::words::is_source(text)
            }
            _ => false,
        };
        if let Some(deed) = sends().find(each) {
            return Some(format!("each of {}", show(deed.object.text())));
        }
        // What comes in through a pipe, or through one that has a name.
        let named = |deed: &Deed| match &deed.object {
            Object::Path { text, .. } => pipes.contains(&shell::path::absolute(text, &call.cwd)),
            _ => false,
        };
        let by_name = sends().any(named);
        let piped = call.stdin.is_some() && sends().any(|deed| matches!(deed.object, Object::Thing(_)));
        let from = if by_name {
            reading.calls.iter().collect()
        } else if piped {
            fed(call)
        } else {
            Vec::new()
        };
        for source in from {
            if let Some(deed) =
                source.deeds.iter().find(|deed| deed.verb == Verb::Reads && is_key_folder(deed))
            {
                return Some(format!("{}, a folder of keys,", show(deed.object.text())));
            }
            let whole = |deed: &&Deed| match &deed.object {
                Object::Path { text, tree: true, pattern } => {
                    let arg = shell::Arg { text: text.clone(), span: None, glob: *pattern };
                    deed.verb == Verb::Reads && place(&arg, source, facts) == Place::Project
                }
                _ => false,
            };
            if source.deeds.iter().any(|deed| whole(&deed)) {
                return Some("the project as a whole".into());
            }
            if source.deeds.iter().any(|deed| deed.verb == Verb::Reads)
                && source.texts().any(super::aloud::looks_for_keys)
            {
                return Some("what a search for keys finds".into());
            }
        }
    }
    None
}

/// A folder, or all that is in it, whose name says that keys are kept there.
fn is_key_folder(deed: &Deed) -> bool {
    const NAMES: &[&str] =
        &["certs", "private", "secrets", "keys", "credentials", "ssl", "pki", ".secrets", "private_keys"];
    let Object::Path { text, tree, pattern } = &deed.object else { return false };
    let all = text.trim_end_matches('/');
    let folder = if *pattern { all.rsplit_once('/').map_or("", |(folder, _)| folder) } else { all };
    (*tree || *pattern) && NAMES.contains(&shell::path::name(folder))
}

/// Whether its input, of which a part is such, is sent.
fn sends_input(call: &Call, part: impl Fn(char) -> bool) -> bool {
    let whole = |deed: &Deed| matches!(&deed.object, Object::Thing(text) if text.contains(&part));
    call.stdin.as_deref().is_some_and(|text| text.contains(&part))
        && call.deeds.iter().any(|deed| deed.verb == Verb::Sends && whole(deed))
}

/// Addresses where clouds give a machine's credentials away.
fn asks_for_credentials(call: &Call) -> bool {
    call.deeds.iter().any(|deed| match &deed.object {
        Object::Address(text) | Object::Host(text) => address::gives_credentials(text),
        _ => false,
    }) || call.words().program.is_none() && call.texts().any(address::names_credentials)
}

/// Whether a request goes to this very machine, and by no other.
fn stays_here(call: &Call) -> bool {
    call.words().stake.is_some()
}

/// Files, texts and addresses that a call sends.
fn by_words(call: &Call, facts: &dyn Facts) -> Option<String> {
    if stays_here(call) || call.words().rehearses {
        return None;
    }
    for deed in call.deeds.iter().filter(|deed| deed.verb == Verb::Sends) {
        let is_list = matches!(&deed.object, Object::Path { text, .. }
            if matches!(text.as_str(), "/etc/passwd" | "/etc/hosts.equiv") || text.starts_with("/etc/shadow"));
        if is_list || secret(deed, call, facts).is_some() {
            return Some(show(deed.object.text()));
        }
    }
    // A secret in a word that is not for signing in, of a program that speaks to others or publishes.
    let entry = call.words().entry?;
    let speaks = entry.style.network || call.words().program.is_some_and(|program| program.style.network);
    let outward = call.does(Verb::Publishes);
    if !speaks && !outward {
        return sends_input(call, |c| c == SECRET).then(|| "a secret".to_owned());
    }
    let signs_in = |role: Role, text: &str| match role {
        Role::Secret => true,
        Role::Header => text.split_once(':').is_none_or(|(name, _)| signs_in_by(name)),
        _ => false,
    };
    let words = call.words();
    let inside = words.given(&call.argv).any(|(role, text)| !signs_in(role, text) && text.contains(SECRET));
    // `Authorization:…` of a request that has such among its fields.
    let field = |text: &str| text.split_once(':').is_some_and(|(name, _)| name.contains("uthorization"));
    let item = words.given(&call.argv).any(|(role, text)| role == Role::Item && field(text));
    let line = entry.place == Where::Host && call.texts().any(|text| text.contains(SECRET));
    (inside && !item || line || sends_input(call, |c| c == SECRET)).then(|| "a secret".to_owned())
}

/// Lines of a request by which one signs in: `Authorization`, `X-Api-Key`, `PRIVATE-TOKEN`, `Cookie`.
fn signs_in_by(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["auth", "key", "token", "cookie", "secret", "credential", "password", "signature"]
        .iter()
        .any(|word| lower.contains(word))
}

/// `cat key > /dev/tcp/host/1`.
fn by_redirect(call: &Call, facts: &dyn Facts) -> Option<String> {
    let network = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
    if !call.redirects.iter().any(|redirect| network(&redirect.target.text)) {
        return None;
    }
    let holds = call.stdin.as_deref().into_iter().chain(call.texts()).any(|text| text.contains(SECRET));
    let reads = call.deeds.iter().any(|deed| deed.verb == Verb::Reads && secret(deed, call, facts).is_some());
    (holds || reads).then(|| "a secret".to_owned())
}

/// Programs whose output is a whole database, repository or cluster's secrets.
fn is_dump(call: &Call) -> bool {
    call.deeds.iter().any(|deed| match (deed.verb, &deed.object) {
        (Verb::Reads, Object::Thing(_)) => true,
        (Verb::Queries, Object::Thing(thing)) => thing == "a whole database",
        (Verb::Tells | Verb::Reveals, Object::Thing(_)) => {
            call.words().entry.is_some_and(|e| e.style.service)
        }
        _ => false,
    })
}

/// Whether code in another language reads a secret and sends it.
fn in_code(code: &str) -> bool {
    let bare = shell::without_texts(code);
    let sends = [
        "requests.post",
        "urlopen(",
        "http.client",
        "fetch(",
        "axios.post",
        "smtplib",
        "urllib.request",
        "HTTP.post",
        "Net::HTTP",
        "LWP",
        "socket",
        "file_get_contents(\"http",
        "file_get_contents('http",
        "curl_exec",
        "https.request",
        "http.request",
        "').request(",
        "\").request(",
        "ftplib",
    ]
    .iter()
    .any(|word| bare.contains(word));
    let secret = [
        ".ssh/",
        ".aws/credentials",
        "os.environ",
        "process.env)",
        "JSON.stringify(process.env",
        ".env'",
        ".env\"",
        ".env`",
        "/etc/shadow",
        "id_rsa",
        ".netrc",
        "dict(os.environ",
        "ENV.to_h",
        "%ENV",
    ]
    .iter()
    .any(|word| code.contains(word));
    // One variable by its name is a setting, unless the name says otherwise.
    let named = |open: &str| {
        code.split(open).skip(1).any(|rest| {
            let name: String =
                rest.chars().skip(1).take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            shell::is_secret_name(&name)
        })
    };
    // In its own request header it is what it is for; in an address it is given away.
    let given =
        (named("os.environ[") || named("environ.get(") || named("getenv(")) && !code.contains("eaders");
    let whole = !code.contains("os.environ[") && !code.contains("os.environ.get")
        || given
        || code.contains(".ssh/")
        || code.contains("id_rsa");
    sends && secret && whole
}
