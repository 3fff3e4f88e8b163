//! Where input comes from and output goes to, and the files that this makes.

use std::rc::Rc;

use model::deed::{Verb, Verbs};

use super::{Reader, append, is_silent};
use crate::programs::Role;
use crate::reading::{Arg, Call, Direction, Output, Redirect};
use crate::several::Several;
use crate::state::{State, Variable};
use crate::syntax::{Command, Script};
use crate::text::{ANY, SECRET, is_known};

/// What a call does that puts a file where none was, or another.
const LANDING: Verbs = Verbs::NONE.with(Verb::Writes).with(Verb::Moves).with(Verb::Links).with(Verb::Covers);

impl Reader<'_> {
    pub(super) fn redirected(
        &mut self,
        command: &Command,
        redirects: &[crate::syntax::Redirect],
        state: &mut State,
    ) -> String {
        let mut several = Several::new(state);
        if !several.is_idle() {
            several.redirects(redirects);
        }
        let names = several.names;
        self.each_choice(names, state, |reader, state| reader.redirected_once(command, redirects, state))
    }

    pub(super) fn redirected_once(
        &mut self,
        command: &Command,
        redirects: &[crate::syntax::Redirect],
        state: &mut State,
    ) -> String {
        let saved = (state.stdin.clone(), state.fed_by.clone());
        let resolved = self.redirects(redirects, state);
        let goes = if super::goes_to_file(&resolved) { Output::Kept } else { self.output };
        let output = self.printing(goes, |reader| reader.run(command, state));
        (state.stdin, state.fed_by) = saved;
        self.write_files(&resolved, &output, state);
        let silent = is_silent(&resolved);
        if resolved.iter().any(|r| r.direction != Direction::Duplicate) {
            // What all of them together send.
            let sends = resolved.iter().any(|r| is_socket(&r.target.text));
            let stdin = sends.then(|| output.as_str().into());
            let call = Call { redirects: resolved, stdin, ..self.blank_call(state.cwd()) };
            self.push(call);
        }
        if silent { String::new() } else { output }
    }

    /// Targets expanded; what comes in goes to `state.stdin`.
    pub(super) fn redirects(
        &mut self,
        redirects: &[crate::syntax::Redirect],
        state: &mut State,
    ) -> Vec<Redirect> {
        let mut resolved = Vec::new();
        for redirect in redirects {
            let fd = self.descriptor(redirect, state);
            if redirect.direction == Direction::Text {
                let text = self.text(&redirect.target, state);
                self.feed(fd, text.into(), state);
                continue;
            }
            let mut fields = self.fields(&redirect.target, state);
            let target = if fields.is_empty() { Arg::new(ANY) } else { fields.swap_remove(0) };
            // `>&$fd`: only its value says that no file is meant.
            let number = target.text.trim_end_matches('-');
            let doubles = redirect.both && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            let direction = if doubles { Direction::Duplicate } else { redirect.direction };
            match direction {
                Direction::Read | Direction::ReadWrite => {
                    let text = self.file_text(&target.text, state);
                    if redirect.direction == Direction::Read || text.contains(crate::text::NET) {
                        self.feed(fd, text, state);
                    }
                }
                Direction::Duplicate => self.doubled(fd, &target.text, state),
                _ => {}
            }
            let fd = fd.unwrap_or(1);
            // What goes to a descriptor goes where that leads, also over the network.
            let leads = self.leads(fd, direction, &target.text);
            if let Some(path) = leads.filter(|path| is_socket(path)) {
                resolved.push(Redirect { fd, direction: Direction::Append, target: Arg::new(path) });
                continue;
            }
            resolved.push(Redirect { fd, direction, target: target.clone() });
            if redirect.both && direction != Direction::Duplicate {
                resolved.push(Redirect { fd: 2, direction, target });
            }
        }
        resolved
    }

    /// `<&3` and `4<&3`: one descriptor gives what another does, and leads where that leads. `3-` closes it afterwards.
    fn doubled(&mut self, fd: Option<u32>, target: &str, state: &mut State) {
        let from = target.trim_end_matches('-');
        if let Some(text) = state.files.get(&format!("/dev/fd/{from}")).cloned() {
            self.feed(fd, text, state);
        }
        let path = from.parse().ok().and_then(|number: u32| self.descriptors.get(&number).cloned());
        if let (Some(fd @ 3..), Some(path)) = (fd, path) {
            self.descriptors.insert(fd, path);
        }
    }

    /// The file or socket that a descriptor leads to, where it was opened by this command.
    fn leads(&self, fd: u32, direction: Direction, target: &str) -> Option<String> {
        let number: u32 = target.trim_end_matches('-').parse().ok()?;
        let out = direction == Direction::Duplicate && matches!(fd, 1 | 2);
        self.descriptors.get(&number).filter(|_| out).cloned()
    }

    /// What a command beside the shell prints can be read from one descriptor, and what is written to the other comes in.
    pub(super) fn coprocess(&mut self, name: &str, script: &Rc<Script>, state: &mut State) {
        const ENDS: (u32, u32) = (63, 60);
        self.forked += 1;
        let mut inner = state.clone();
        inner.stdin = Some(ANY.to_string().into());
        let output = self.printing(Output::Kept, |reader| reader.run_script(script, &mut inner));
        state.left_by(inner);
        self.forked -= 1;
        let (from, to) = ENDS;
        state.write(format!("/dev/fd/{from}"), output);
        let path = format!("/dev/fd/{to}");
        self.outlets.push((path.clone(), Rc::clone(script)));
        self.descriptors.insert(to, path);
        let ends = Variable::list(vec![from.to_string(), to.to_string()]);
        state.variables.insert(name.to_owned(), ends);
    }

    /// The descriptor of a redirection; for `{name}<` the next that is free, whose number the variable gets.
    fn descriptor(&mut self, redirect: &crate::syntax::Redirect, state: &mut State) -> Option<u32> {
        let Some(name) = &redirect.named else { return redirect.fd };
        self.processes += 1;
        let number = 100 + u32::try_from(self.processes).unwrap_or(0);
        state.variables.insert(name.clone(), Variable::text(number.to_string()));
        Some(number)
    }

    /// What a descriptor will give: stdin, or another one under its name.
    pub(super) fn feed(&mut self, fd: Option<u32>, text: Rc<str>, state: &mut State) {
        match fd {
            None | Some(0) => {
                state.stdin = Some(text);
                state.fed_by = 0..0;
            }
            Some(fd) => {
                state.write(format!("/dev/fd/{fd}"), text);
            }
        }
    }

    pub(super) fn write_files(&mut self, redirects: &[Redirect], output: &str, state: &mut State) {
        for redirect in redirects {
            let target = &redirect.target.text;
            // `exec 3> >(sh)` or `exec 3>file`, and later `>&3`.
            if redirect.direction == Direction::Duplicate {
                let number = target.trim_end_matches('-').parse().ok().filter(|_| redirect.fd == 1);
                if let Some(path) = number.and_then(|number: u32| self.descriptors.get(&number).cloned()) {
                    self.pour(&path, output, state);
                    if !path.starts_with("/dev/") {
                        self.add_to(path, output, state);
                    }
                }
                continue;
            }
            let path = self.file_path(target, state);
            if redirect.fd != 1 {
                let writes =
                    matches!(redirect.direction, Direction::Write | Direction::Append | Direction::ReadWrite);
                if redirect.fd > 2 && writes {
                    self.descriptors.insert(redirect.fd, path);
                }
                continue;
            }
            self.pour(&path, output, state);
            if path.starts_with("/dev/") || path.starts_with("/proc/") {
                continue;
            }
            match redirect.direction {
                Direction::Write => {
                    state.write(path, output);
                }
                Direction::Append => self.add_to(path, output, state),
                _ => {}
            }
        }
    }

    fn add_to(&mut self, path: String, output: &str, state: &mut State) {
        let mut text = state.files.get(&path).map(ToString::to_string).unwrap_or_default();
        append(&mut text, output);
        self.meter.add(text.len() / 8);
        state.write(path, text);
    }

    /// Where a file really lies, as far as this command says: behind links that it has made, and under the kernel's names.
    pub(crate) fn file_path(&self, path: &str, state: &State) -> String {
        let absolute = state.resolved(path).unwrap_or_else(|| state.absolute(path));
        // Most are nothing of the kind.
        if !absolute.starts_with("/proc/") && !absolute.starts_with("/dev/") {
            return absolute;
        }
        let raw = if path.starts_with("/proc/") { path } else { &absolute };
        let absolute = crate::path::through_process(raw, &state.cwd()).unwrap_or(absolute);
        crate::path::stream(&absolute).unwrap_or(absolute)
    }

    /// What is written to a `>(…)` is read by the commands in there.
    pub(crate) fn pour(&mut self, path: &str, text: &str, state: &State) {
        let Some((_, script)) = self.outlets.iter().find(|(name, _)| name == path) else { return };
        let script = Rc::clone(script);
        let mut inner = state.clone();
        inner.stdin = Some(text.into());
        let saved = std::mem::take(&mut self.current);
        self.deeper(|reader| reader.run_script(&script, &mut inner));
        self.current = saved;
    }

    /// What a file holds: what this script wrote, what is secret, what lies there.
    pub(crate) fn file_text(&mut self, path: &str, state: &State) -> Rc<str> {
        let hole = |hole: char| hole.to_string().into();
        if !is_known(path) {
            return hole(ANY);
        }
        let absolute = self.file_path(path, state);
        if let Some(text) = state.files.get(&absolute) {
            return Rc::clone(text);
        }
        if absolute.starts_with("/dev/tcp/") || absolute.starts_with("/dev/udp/") {
            return hole(crate::text::NET);
        }
        if absolute == "/dev/stdin" || absolute == "/dev/fd/0" || absolute == "/proc/self/fd/0" {
            return state.input();
        }
        // The list of accounts is nobody's secret here, but it is elsewhere.
        if crate::secret::is_secret_path(&absolute, self.home.as_deref()) || absolute == "/etc/passwd" {
            return hole(SECRET);
        }
        hole(ANY)
    }

    /// What a file has come from that an earlier call of this script has put there.
    fn came_from(&self, path: &str) -> Option<String> {
        let mut at = path.to_owned();
        for call in self.reading.calls.iter().rev().filter(|call| call.verbs().has_any(LANDING)) {
            let absolute = |text: &str| crate::path::absolute(text, &call.cwd);
            let here =
                crate::programs::landings(call).into_iter().filter(|landing| landing.how != Role::Remote);
            let from = here.into_iter().find_map(|landing| {
                let to = absolute(&landing.to);
                let inside = format!("{to}/{}", crate::path::name(&landing.from));
                (to == at || inside == at).then(|| absolute(&landing.from))
            });
            at = from.filter(|from| is_known(from)).unwrap_or(at);
        }
        (at != path).then_some(at)
    }

    /// Whether there is something to be read, now or when it is run.
    pub(crate) fn will_be_there(&self, path: &str, state: &State) -> bool {
        let absolute = state.absolute(path);
        self.world.exists(&absolute) || self.came_from(&absolute).is_some()
    }

    /// The text of a script file that is about to run, if it can be had.
    pub(crate) fn script_text(&mut self, path: &str, state: &State) -> Option<Rc<str>> {
        self.script_at(&self.file_path(path, state), state)
    }

    /// The same by its whole path.
    pub(crate) fn script_at(&mut self, absolute: &str, state: &State) -> Option<Rc<str>> {
        if !is_known(absolute) {
            return None;
        }
        // A copy, a link, or the thing under its new name; where this script has written the file, too, it is one or the other.
        if let Some(from) = self.came_from(absolute) {
            let written = state.files.get(absolute).cloned();
            return match (written, self.text_at(&from, state)) {
                (Some(written), Some(copied)) if written != copied => {
                    Some(format!("{written}\n{copied}").into())
                }
                (written, copied) => written.or(copied),
            };
        }
        self.text_at(absolute, state)
    }

    fn text_at(&mut self, absolute: &str, state: &State) -> Option<Rc<str>> {
        match state.files.get(absolute) {
            Some(text) => Some(Rc::clone(text)),
            None if absolute.starts_with("/dev/") || absolute.starts_with("/proc/") => {
                Some(self.file_text(absolute, state))
            }
            // Quicker than to try to read what is not there.
            None if !self.world.exists(absolute) => None,
            None => self.world.read(absolute).map(Into::into),
        }
    }
}

/// Bash's names for the network.
fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}
