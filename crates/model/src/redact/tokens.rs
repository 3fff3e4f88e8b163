//! Keys that are known by their looks, wherever they stand.

/// What providers put before their keys. The prefix stays, so that a reader sees whose key it was.
const PREFIXES: &[&str] = &[
    "AGE-SECRET-KEY-1",
    "AIza",
    "AKCp",
    "ATATT3",
    "ATBB",
    "EAAA",
    "GOCSPX-",
    "HRKU-",
    "NRAK-",
    "PMAK-",
    "SG.",
    "dapi",
    "dckr_pat_",
    "doo_v1_",
    "dop_v1_",
    "dor_v1_",
    "dp.ct.",
    "dp.pt.",
    "dp.st.",
    "eyJ",
    "figd_",
    "fo1_",
    "gho_",
    "ghp_",
    "ghr_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glc_",
    "glcbt-",
    "gldt-",
    "gloas-",
    "glpat-",
    "glptt-",
    "glrt-",
    "glsa_",
    "gsk_",
    "hf_",
    "hvb.",
    "hvs.",
    "lin_api_",
    "nfp_",
    "npm_",
    "ntn_",
    "ops_ey",
    "pcsk_",
    "pplx-",
    "pscale_",
    "pypi-",
    "r8_",
    "rk_live_",
    "rk_test_",
    "rubygems_",
    "sbp_",
    "secret_",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "sk-",
    "sk_live_",
    "sk_test_",
    "sntrys_",
    "sq0atp-",
    "sq0csp-",
    "tskey-",
    "whsec_",
    "xai-",
    "xapp-",
    "xoxa-",
    "xoxb-",
    "xoxe.",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "ya29.",
];

/// Where in the list those with each first letter begin and end: most words are done with one look.
const BY_LETTER: [(u8, u8); 128] = by_letter();

const fn by_letter() -> [(u8, u8); 128] {
    let mut places = [(0, 0); 128];
    let mut at: u8 = 0;
    while (at as usize) < PREFIXES.len() {
        let letter = PREFIXES[at as usize].as_bytes()[0] as usize;
        if places[letter].1 == 0 {
            places[letter].0 = at;
        }
        // The list is sorted, so those with one letter lie beside each other.
        assert!(places[letter].1 == 0 || places[letter].1 == at);
        at += 1;
        places[letter].1 = at;
    }
    places
}

/// Shorter ones are names.
const SHORTEST: usize = 16;
/// What is longer is masked in pieces, and looked at once.
const LONGEST: usize = 4096;

/// The part of a word that is a key: where its secret part begins and ends.
pub(super) fn find(word: &str) -> Option<(usize, usize)> {
    if word.len() < SHORTEST {
        return None;
    }
    let bytes = word.as_bytes();
    let mut inside = false;
    for (at, &byte) in bytes.iter().enumerate() {
        let part = byte.is_ascii_alphanumeric();
        if part
            && !inside
            && let Some(found) = at_start(word, at)
        {
            return Some(found);
        }
        inside = part || byte == b'_' || byte == b'-';
    }
    None
}

fn at_start(word: &str, at: usize) -> Option<(usize, usize)> {
    let rest = word.get(at..).filter(|rest| rest.len() > SHORTEST)?;
    let run = |from: usize, part: fn(u8) -> bool| {
        from + rest.as_bytes()[from..].iter().take(LONGEST).take_while(|&&byte| part(byte)).count()
    };
    let token: fn(u8) -> bool =
        |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=');
    let range = |from: usize, to: usize| Some((at + from, at + to));
    match rest.as_bytes()[0] {
        // Amazon: the kind, and sixteen letters and figures.
        b'A' if ["AKIA", "ASIA", "ABIA", "ACCA"].iter().any(|kind| rest.starts_with(kind)) => {
            let end = run(4, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
            return if end >= 20 { range(4, end) } else { None };
        }
        // Twilio.
        b'S' if rest.starts_with("SK") && !rest.starts_with("SK_") => {
            let end = run(2, |byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
            return if end == 34 { range(2, end) } else { None };
        }
        // Telegram: a number, a colon and thirty-five letters; `bot` before it in addresses.
        b'0'..=b'9' | b'b' if !rest.starts_with('b') || rest.starts_with("bot") => {
            let start = if rest.starts_with('b') { 3 } else { 0 };
            let colon = run(start, |byte| byte.is_ascii_digit());
            if (8..=10).contains(&(colon - start)) && rest.as_bytes().get(colon) == Some(&b':') {
                let end = run(colon + 1, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
                let secret = &rest[colon + 1..end];
                if secret.len() == 35 && secret.starts_with("AA") {
                    return range(colon + 1, end);
                }
            }
            return None;
        }
        _ => {}
    }
    let (first, end) = BY_LETTER.get(usize::from(rest.as_bytes()[0])).copied()?;
    let prefix = PREFIXES[first.into()..end.into()].iter().find(|prefix| rest.starts_with(**prefix))?;
    let end = run(prefix.len(), token);
    let secret = &rest[prefix.len()..end];
    (secret.len() >= SHORTEST && is_random(secret)).then_some((at + prefix.len(), at + end))
}

/// Words have neither figures nor capitals in the middle.
pub(super) fn is_random(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = bytes.iter().skip(1).any(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase);
    digits >= 2 || upper
}

/// Where the private keys in a text are: between the lines that begin and end them.
pub(super) fn private_keys(text: &str) -> Vec<(usize, usize)> {
    const BEGIN: &str = "-----BEGIN ";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(begin) = text[from..].find(BEGIN).map(|at| from + at) {
        let title = begin + BEGIN.len();
        let Some(close) = text[title..].find("-----").map(|at| title + at) else { break };
        from = close + 5;
        if !text[title..close].contains("PRIVATE KEY") {
            continue;
        }
        let end = text[from..].find("-----END").map_or(text.len(), |at| from + at);
        found.push((from, end));
        from = end;
    }
    found
}
