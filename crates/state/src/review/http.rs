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
    let proxy = if wire::is_local(base) { None } else { proxy(machine)? };
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
        .map_err(|_| format!("was not asked: {} is no address of a proxy", variable.name))
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
