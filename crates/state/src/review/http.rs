//! One request to a reviewer, over the network, within a time.

use std::time::Duration;

use model::{Config, Question, Review, Reviewer, environment};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Error, Proxy};

use super::wire::{self, Request};
use crate::Machine;

const LARGEST_ANSWER: u64 = 256 * 1024;

/// Asks, and waits no longer than `limit`. The error is the end of a sentence about the reviewer.
pub(crate) fn ask(
    machine: &Machine,
    config: &Config,
    reviewer: Reviewer,
    question: &Question,
    earlier: Option<&Review>,
    limit: Duration,
) -> Result<Review, String> {
    let key = super::key(machine, reviewer).ok_or("has no key")?;
    let (base, variable, default) = match reviewer {
        Reviewer::Gemini => (&config.gemini_url, environment::LLM_REVIEW_GEMINI_MODEL, "gemini-2.0-flash"),
        Reviewer::OpenAi => (&config.openai_url, environment::LLM_REVIEW_OPENAI_MODEL, "gpt-4o-mini"),
    };
    let model = machine.var(&variable).unwrap_or_else(|| default.into());
    let request = wire::request(reviewer, base, &model, &key, question, earlier)?;
    let proxy = if wire::is_local(base) || is_exempt(machine, base) { None } else { proxy(machine)? };
    let (status, body) = post(&request, proxy, limit).map_err(|error| describe(&error, limit))?;
    wire::answer(reviewer, status, &body)
}

fn proxy(machine: &Machine) -> Result<Option<Proxy>, String> {
    let named = [environment::HTTPS_PROXY, environment::HTTPS_PROXY_LOWER];
    let Some((variable, url)) = named.iter().find_map(|variable| Some((variable, machine.var(variable)?)))
    else {
        return Ok(None);
    };
    Proxy::new(&url)
        .map(Some)
        .map_err(|_| format!("was not asked: {} is not an address of a proxy", variable.name))
}

/// Whether the user's list says that this host is reached without the proxy.
fn is_exempt(machine: &Machine, base: &str) -> bool {
    let list = [environment::NO_PROXY, environment::NO_PROXY_LOWER].iter().find_map(|name| machine.var(name));
    list.is_some_and(|list| names(&list, host(base)))
}

/// The host of an address, without the port.
fn host(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit('@').next().unwrap_or(rest);
    match rest.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(six),
        None => rest.split(':').next().unwrap_or(rest),
    }
}

/// A name counts for itself and for everything below it.
fn names(list: &str, host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let entry = entry.split(':').next().unwrap_or(entry).trim_start_matches("*.").trim_start_matches('.');
        let entry = entry.to_ascii_lowercase();
        entry == "*"
            || host == entry
            || host.strip_suffix(entry.as_str()).is_some_and(|rest| rest.ends_with('.'))
    })
}

fn post(request: &Request, proxy: Option<Proxy>, limit: Duration) -> Result<(u16, String), Error> {
    let config = Agent::config_builder()
        .timeout_global(Some(limit))
        .proxy(proxy)
        // It would take the key along.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("plimsoll/", env!("CARGO_PKG_VERSION")))
        .build();
    let agent = Agent::with_parts(config, DefaultConnector::default(), resolver());
    let (name, value) = &request.header;
    let mut response = agent
        .post(&request.url)
        .header(*name, value)
        .header("content-type", "application/json")
        .send(&request.body)?;
    let body = response.body_mut().with_config().limit(LARGEST_ANSWER).lossy_utf8(true).read_to_string()?;
    Ok((response.status().as_u16(), body))
}

#[cfg(all(target_os = "linux", target_feature = "crt-static"))]
fn resolver() -> super::names::Names {
    super::names::Names::of_this_machine()
}

#[cfg(not(all(target_os = "linux", target_feature = "crt-static")))]
fn resolver() -> ureq::unversioned::resolver::DefaultResolver {
    ureq::unversioned::resolver::DefaultResolver::default()
}

fn describe(error: &Error, limit: Duration) -> String {
    match error {
        Error::Timeout(_) => format!("did not answer within {} s", limit.as_secs_f32()),
        error => format!("could not be asked: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{host, names};

    #[test]
    fn some_hosts_need_no_proxy() {
        for (list, base, exempt) in [
            ("example.com", "https://example.com/v1", true),
            ("example.com", "https://api.example.com:8443/v1", true),
            (".example.com, localhost", "https://api.example.com", true),
            ("*.example.com", "https://api.example.com", true),
            ("*", "https://anything.example", true),
            ("example.com:443", "https://key@example.com/", true),
            ("example.com", "https://notexample.com", false),
            ("", "https://example.com", false),
            ("::1", "http://[::1]:80/", false),
        ] {
            assert_eq!(names(list, host(base)), exempt, "{list} {base}");
        }
    }
}
