//! All rules that fit an event, looked up by what the event is about.

use std::collections::BTreeMap;
use std::rc::Rc;

use model::rule::{Book, Fit, Key, Number, Rule, Touch};
use model::{Body, Config, Event, Facts, Span};

use super::call as calls;
use super::ground::Ground;
use super::scene::Scene;
use crate::Context;
use crate::context::View;

/// A rule that fits.
#[derive(Clone, Debug)]
pub struct Matched {
    pub rule: Rc<Rule>,
    /// `Perhaps` or `Yes`.
    pub fit: Fit,
    /// The call, by its place in the reading; `None` for the tool itself.
    pub call: Option<usize>,
}

/// A search in the book for one event.
struct Search<'a> {
    event: &'a Event,
    cx: &'a Context<'a>,
    book: &'a Book,
    /// Rules that were read: many calls of a command are about the same.
    known: BTreeMap<Number, Option<Rc<Rule>>>,
    /// Those that may be about the present call.
    near: Vec<Number>,
    found: Vec<Matched>,
    ground: Ground,
    /// The index is not asked.
    all: bool,
}

impl Search<'_> {
    /// Tries the rules that may be about it, in the order of the files.
    fn try_on(&mut self, scene: &Scene<'_>, at: Option<usize>) {
        if self.all {
            let is_meant = |number: &Number| {
                self.book.rule(*number).is_some_and(|rule| at.is_none() || is_of_calls(&rule))
            };
            self.near = self.book.numbers().filter(is_meant).collect();
        }
        let mut near = std::mem::take(&mut self.near);
        near.sort_unstable();
        near.dedup();
        for number in near.drain(..) {
            let book = self.book;
            let rule = self.known.entry(number).or_insert_with(|| book.rule(number).map(Rc::new));
            let Some(rule) = rule else { continue };
            let fit = scene.fits(rule, self.event, self.cx);
            if fit > Fit::No {
                self.found.push(Matched { rule: Rc::clone(rule), fit, call: at });
            }
        }
        self.near = near;
    }

    fn about_calls(&mut self) {
        let Some(reading) = self.cx.reading(self.event) else { return };
        let programs = [Key::AnyProgram, Key::Program(""), Key::EachSpoken("")];
        let programs = programs.into_iter().any(|key| self.book.has(key));
        for (at, call) in reading.calls.iter().enumerate() {
            let by_name = programs && !call.argv.is_empty();
            if !by_name && !self.all && !self.ground.concerns(call.verbs()) {
                continue;
            }
            let scene = Scene::of_call(call);
            if by_name {
                calls::collect(&scene, call, self.book, &mut self.near);
            }
            scene.collect(self.book, &mut self.ground, self.cx, &mut self.near);
            if !self.near.is_empty() || self.all {
                self.try_on(&scene, Some(at));
            }
        }
    }

    fn about_the_tool(&mut self) {
        let Some(use_) = self.event.tool_use() else { return };
        let scene = Scene::of_tool(self.event, self.cx);
        scene.collect(self.book, &mut self.ground, self.cx, &mut self.near);
        self.book.about(Key::AnyTool, &mut self.near);
        self.book.about(Key::Tool(&use_.name), &mut self.near);
        if let Some((server, _)) = use_.name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            self.book.about(Key::AnyServer, &mut self.near);
            self.book.about(Key::Server(server), &mut self.near);
        }
        self.added_lines(&scene);
        if !self.near.is_empty() || self.all {
            self.try_on(&scene, None);
        }
    }

    /// Rules about lines that are added, by the files that get them.
    fn added_lines(&mut self, scene: &Scene<'_>) {
        let by_path = self.book.has_paths(Touch::Add);
        if !by_path && !self.book.has(Key::Adds) || !self.may_add() {
            return;
        }
        self.book.about(Key::Adds, &mut self.near);
        if by_path {
            for file in scene.adding(self.event, self.cx) {
                file.place.collect(Touch::Add, self.book, self.cx, &mut self.near);
            }
        }
    }

    /// Most commands change nothing.
    fn may_add(&self) -> bool {
        let Some(reading) = self.cx.reading(self.event) else { return true };
        reading.calls.iter().any(|call| call.verbs().has_any(crate::shell::CHANGING))
            || !reading.calls.iter().all(shell::Call::only_looks) && !self.cx.arrivals(self.event).is_empty()
    }
}

/// Whether a rule is about calls of programs at all, and not only about the tool.
fn is_of_calls(rule: &Rule) -> bool {
    let when = &rule.when;
    let by_deed = [&when.write, &when.read, &when.delete, &when.fetch, &when.send, &when.sql, &when.refs];
    let is_about = when.call.is_some() || when.install.is_some() || by_deed.iter().any(|one| one.is_some());
    is_about && when.adds.is_none() && when.mcp.is_none()
}

/// What fits the event, in the order of its calls.
pub(crate) fn matched(event: &Event, cx: &Context<'_>, book: &Book) -> Vec<Matched> {
    search(event, cx, book, false)
}

fn search(event: &Event, cx: &Context<'_>, book: &Book, all: bool) -> Vec<Matched> {
    let (known, near, found) = Default::default();
    let mut search = Search { event, cx, book, known, near, found, ground: Ground::new(book), all };
    if let Body::Prompt(_) = &event.body {
        book.about(Key::Prompt, &mut search.near);
        search.try_on(&Scene::of_tool(event, cx), None);
    } else {
        search.about_calls();
        search.about_the_tool();
    }
    search.found
}

/// The same by itself, for those who show it.
pub fn found(event: &Event, facts: &dyn Facts, config: &Config, book: &Book) -> Vec<Matched> {
    let view = View::default();
    let cx = Context::new(config, facts);
    matched(event, &cx.about(&view), book)
}

/// The same without the index: what it must find, too.
pub fn found_by_trying_all(event: &Event, facts: &dyn Facts, config: &Config, book: &Book) -> Vec<Matched> {
    let view = View::default();
    let cx = Context::new(config, facts);
    search(event, &cx.about(&view), book, true)
}

/// The words of the command that those rules are about.
pub fn spans(event: &Event, facts: &dyn Facts, config: &Config, book: &Book) -> Vec<Span> {
    let view = View::default();
    let cx = Context::new(config, facts);
    let cx = cx.about(&view);
    let Some(reading) = cx.reading(event) else { return Vec::new() };
    let calls = matched(event, &cx, book).into_iter().filter_map(|one| reading.calls.get(one.call?));
    calls.filter_map(super::own::span).collect()
}
