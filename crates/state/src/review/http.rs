//! One request to a reviewer, over the network, within a time.

use std::time::Duration;

use model::{Config, Question, Review, Reviewer, environment};
use ureq::Proxy;

use super::Why;
use super::wire::{self, Request};
use crate::Machine;
use crate::net::{self, Error, Post};

/// Asks, and waits no longer than `limit`.
pub(crate) fn ask(
    machine: &Machine,
    config: &Config,
    reviewer: Reviewer,
    question: &Question,
    earlier: Option<&Review>,
    limit: Duration,
) -> Result<Review, Why> {
    let key = super::key(machine, reviewer).ok_or(Why::NoKey)?;
    let (base, variable, default) = match reviewer {
        Reviewer::Gemini => (&config.gemini_url, environment::LLM_REVIEW_GEMINI_MODEL, "gemini-2.0-flash"),
        Reviewer::OpenAi => (&config.openai_url, environment::LLM_REVIEW_OPENAI_MODEL, "gpt-4o-mini"),
    };
    let model = machine.var(&variable).unwrap_or_else(|| default.into());
    let request = wire::request(reviewer, base, &model, &key, question, earlier)?;
    let proxy = net::proxy(machine, base).map_err(Why::Proxy)?;
    let (status, body) = post(&request, proxy, limit).map_err(|error| match error {
        Error::Timeout(_) => Why::Timeout(limit),
        error => Why::Unreached(error.to_string()),
    })?;
    wire::answer(reviewer, status, &body)
}

fn post(request: &Request, proxy: Option<Proxy>, limit: Duration) -> Result<(u16, String), Error> {
    let (name, key) = (request.header.0, request.header.1.as_str());
    let headers = [(name, key), ("content-type", "application/json")];
    let post = Post { url: &request.url, headers: &headers, body: request.body.as_bytes() };
    let answer = net::post(&post, proxy, limit)?;
    Ok((answer.status, String::from_utf8_lossy(&answer.body).into_owned()))
}
