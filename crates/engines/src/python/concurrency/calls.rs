//! Rules about single calls: `ASYNC105`, `110`, `115`, `116`, `122`, `125`, the blocking ones (`2xx`) and `ASYNC300`.

use ruff_python_ast::{Expr, ExprCall, Number, StmtWhile};
use ruff_text_size::Ranged;

use super::names::{TRIO, written};
use super::walk::Walk;

static SLEEPS: &[&str] = &["trio.sleep", "anyio.sleep"];
/// Of trio: to be awaited at once.
static AWAITABLE: &[&str] = &[
    "trio.aclose_forcefully",
    "trio.open_file",
    "trio.open_ssl_over_tcp_listeners",
    "trio.open_ssl_over_tcp_stream",
    "trio.open_tcp_listeners",
    "trio.open_tcp_stream",
    "trio.open_unix_socket",
    "trio.run_process",
    "trio.serve_listeners",
    "trio.serve_ssl_over_tcp",
    "trio.serve_tcp",
    "trio.sleep",
    "trio.sleep_forever",
    "trio.sleep_until",
    "trio.lowlevel.cancel_shielded_checkpoint",
    "trio.lowlevel.checkpoint",
    "trio.lowlevel.checkpoint_if_cancelled",
    "trio.lowlevel.open_process",
    "trio.lowlevel.permanently_detach_coroutine_object",
    "trio.lowlevel.reattach_detached_coroutine_object",
    "trio.lowlevel.temporarily_detach_coroutine_object",
    "trio.lowlevel.wait_readable",
    "trio.lowlevel.wait_task_rescheduled",
    "trio.lowlevel.wait_writable",
];
static HTTP_METHODS: &[&str] = &["get", "options", "head", "post", "put", "patch", "delete"];
static PATH_FUNCTIONS: &[&str] = &[
    "_path_normpath",
    "normpath",
    "_joinrealpath",
    "islink",
    "lexists",
    "ismount",
    "realpath",
    "exists",
    "isdir",
    "isfile",
    "getatime",
    "getctime",
    "getmtime",
    "getsize",
    "samefile",
    "sameopenfile",
    "relpath",
];

impl Walk<'_, '_> {
    pub(super) fn call(&mut self, call: &ExprCall) {
        let Some(full) = self.names.full(&call.func) else {
            self.starts_unawaited(call);
            self.http_request(call);
            return;
        };
        let awaited = self.awaited == Some(call.start());
        if self.names.uses(TRIO) && AWAITABLE.contains(&&*full) && !awaited {
            self.add(call, "ASYNC105", format!("{full} async function must be immediately awaited."));
        } else {
            self.starts_unawaited(call);
        }
        self.sleeps(call);
        self.deadline(call);
        self.expects_group(call);
        if full == "asyncio.create_task" && !self.is_kept {
            self.add(call, "ASYNC300", "asyncio.create_task() called without saving the result");
        }
        if let ("trio.wrap_file" | "anyio.wrap_file", [file]) = (&*full, &*call.arguments.args) {
            self.wrapped = Some(file.start());
        }
        if !self.function.is_async {
            return;
        }
        let name = written(&call.func).unwrap_or_default();
        self.waits(call, &name, &full);
        if !awaited {
            self.blocking_method(call);
            self.http(call, &name, &full);
            self.process(call, &name, &full);
            self.file(call, &name, &full);
        }
    }

    fn starts_unawaited(&mut self, call: &ExprCall) {
        let Expr::Attribute(method) = &*call.func else { return };
        if &method.attr != "start" || self.awaited == Some(call.start()) || !self.names.uses(TRIO) {
            return;
        }
        let known = written(&method.value).and_then(|name| self.variables.get(&name));
        let named = match &*method.value {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => "",
        };
        if known.is_some_and(|kind| kind == "trio.Nursery") || named.ends_with("nursery") {
            self.add(call, "ASYNC105", "trio.Nursery.start async method must be immediately awaited.");
        }
    }

    /// `while …: await sleep(…)`.
    pub(super) fn polls(&mut self, repeat: &StmtWhile) {
        let [ruff_python_ast::Stmt::Expr(only)] = &*repeat.body else { return };
        let Expr::Await(awaited) = &*only.value else { return };
        let polls = [
            "trio.sleep",
            "anyio.sleep",
            "trio.sleep_until",
            "anyio.sleep_until",
            "trio.lowlevel.checkpoint",
            "anyio.lowlevel.checkpoint",
        ];
        if self.names.call_of(&awaited.value, &polls).is_some() {
            self.add(
                repeat,
                "ASYNC110",
                "`while <condition>: await sleep()` should be replaced by an `Event`.",
            );
        }
    }

    fn sleeps(&mut self, call: &ExprCall) {
        let Some(sleep) = self.names.calls(call, SLEEPS) else { return };
        let library = sleep.split('.').next().unwrap_or(sleep);
        let (positional, keywords) = (&*call.arguments.args, &*call.arguments.keywords);
        let only = match (positional, keywords) {
            ([only], _) => Some(only),
            (_, [only]) => Some(&only.value),
            _ => None,
        };
        let zero = |it: &Expr| number(it) == Some(0.0);
        if matches!(positional, [only] if zero(only)) || matches!(keywords, [only] if zero(&only.value)) {
            let text = format!("Use `{library}.lowlevel.checkpoint()` instead of `{library}.sleep(0)`.");
            self.add(call, "ASYNC115", text);
        }
        let is_long = match only {
            Some(Expr::Attribute(attribute)) => &attribute.attr == "inf",
            Some(Expr::Name(name)) => name.id == "inf",
            Some(Expr::Call(inner)) => {
                matches!(&*inner.func, Expr::Name(name) if name.id == "float")
                    && matches!(inner.arguments.args.first(), Some(Expr::StringLiteral(it)) if it.value.to_str() == "inf")
            }
            Some(other) => number(other).is_some_and(|seconds| seconds > 86400.0),
            None => false,
        };
        if is_long {
            let text = format!(
                "{library}.sleep() with >24 hour interval should usually be `{library}.sleep_forever()`."
            );
            self.add(call, "ASYNC116", text);
        }
    }

    fn deadline(&mut self, call: &ExprCall) {
        let relative = ["trio.fail_after", "trio.move_on_after", "anyio.fail_after", "anyio.move_on_after"];
        if let (false, Some(name)) = (self.in_with_item, self.names.calls(call, &relative)) {
            let text = format!(
                "Separating initialization from entry of {name} changed behavior in Trio 0.27, and was unintuitive before \
                 then. If you only support trio>=0.27 you should disable this check."
            );
            self.add(call, "ASYNC122", text);
        }
        let at = ["trio.fail_at", "trio.move_on_at", "anyio.fail_at", "anyio.move_on_at"];
        let scope = ["trio.CancelScope", "anyio.CancelScope"];
        let absolute = self.names.calls(call, &at);
        let Some(name) = absolute.or_else(|| self.names.calls(call, &scope)) else { return };
        let value = match &*call.arguments.args {
            [only] if absolute.is_some() => Some(only),
            _ => call
                .arguments
                .keywords
                .iter()
                .find(|keyword| keyword.arg.as_ref().is_some_and(|name| name == "deadline"))
                .map(|keyword| &keyword.value),
        };
        if let Some(value) = value.filter(|value| is_constant(value)) {
            let text = format!(
                "Using {name} with a constant value is nonsensical, as the value is relative to the runner clock. Use a \
                 relative deadline, or calculate it from the current time."
            );
            self.add(value, "ASYNC125", text);
        }
    }

    /// Also where the call is awaited: what it gives cannot be.
    fn waits(&mut self, call: &ExprCall, name: &str, full: &str) {
        let is_path =
            full.strip_prefix("os.path.").is_some_and(|function| PATH_FUNCTIONS.contains(&function));
        if is_path || self.path_functions.iter().any(|function| function == name) {
            self.add(call, "ASYNC240", "Avoid using os.path, prefer using an async library's Path objects.");
        }
        match full {
            "input" | "builtins.input" => {
                let text = "Blocking sync call `input()` in async function. Wrap it in a thread.";
                self.add(call, "ASYNC250", text);
            }
            "time.sleep" => {
                let text = "Blocking sync call `time.sleep(...)` in async function. Use the async library's.";
                self.add(call, "ASYNC251", text);
            }
            _ => {}
        }
    }

    fn http(&mut self, call: &ExprCall, name: &str, full: &str) {
        let is_method = |name: &str| {
            name.split_once('.').is_some_and(|(package, method)| {
                matches!(package, "requests" | "httpx" | "httpx2")
                    && (method == "request" || HTTP_METHODS.contains(&method))
            })
        };
        let urls = ["urllib3.request", "urllib.request.urlopen", "request.urlopen", "urlopen"];
        if is_method(name) || is_method(full) || urls.contains(&full) {
            let text = format!("Sync HTTP call {name} in async function, use an async client.");
            self.add(call, "ASYNC210", text);
        } else {
            self.http_request(call);
        }
    }

    /// `pool.request("GET", …)`, on whatever.
    fn http_request(&mut self, call: &ExprCall) {
        if let (Expr::Attribute(method), Some(Expr::StringLiteral(verb))) =
            (&*call.func, call.arguments.args.first())
            && &method.attr == "request"
            && self.function.is_async
            && self.awaited != Some(call.start())
            && self.names.imports_any("urllib3")
        {
            let verb = verb.value.to_str().to_lowercase();
            if HTTP_METHODS.contains(&verb.as_str()) || matches!(&*verb, "trace" | "connect") {
                self.add(call, "ASYNC211", "Likely sync HTTP call in async function, use an async client.");
            }
        }
    }

    fn process(&mut self, call: &ExprCall, name: &str, full: &str) {
        let is_wait = |mode: &Expr| super::names::last(mode) == Some("P_WAIT") && !mode.is_call_expr();
        let runs = |name: &str| {
            matches!(
                name.strip_prefix("subprocess."),
                Some("run" | "call" | "check_call" | "check_output" | "getoutput" | "getstatusoutput")
            )
        };
        let code = match full {
            "subprocess.Popen" | "os.popen" => "ASYNC220",
            "os.system" | "os.posix_spawn" | "os.posix_spawnp" => "ASYNC221",
            "os.wait" | "os.wait3" | "os.wait4" | "os.waitid" | "os.waitpid" => "ASYNC222",
            "os.spawnv" | "os.spawnl" | "os.spawnvp" | "os.spawnlp" | "os.spawnve" | "os.spawnle"
            | "os.spawnvpe" | "os.spawnlpe" => {
                let named = call
                    .arguments
                    .keywords
                    .iter()
                    .filter(|keyword| keyword.arg.as_ref().is_some_and(|name| name == "mode"))
                    .map(|keyword| &keyword.value);
                let mut modes = call.arguments.args.first().into_iter().chain(named);
                if modes.all(is_wait) { "ASYNC221" } else { "ASYNC220" }
            }
            _ if runs(name) || runs(full) => "ASYNC221",
            _ => return,
        };
        let text = format!("Sync call {name} in async function, use the async library's processes.");
        self.add(call, code, text);
    }

    fn file(&mut self, call: &ExprCall, name: &str, full: &str) {
        let code = match full {
            "builtins.open" | "open" | "io.open" | "io.open_code" => "ASYNC230",
            "os.fdopen" => "ASYNC231",
            _ => return,
        };
        if self.wrapped != Some(call.start()) {
            self.add(
                call,
                code,
                format!("Sync call {name} in async function, use the async library's files."),
            );
        }
    }
}

/// Of a constant; in Python `False` is 0.
fn number(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::BooleanLiteral(literal) => Some(f64::from(u8::from(literal.value))),
        Expr::NumberLiteral(literal) => match &literal.value {
            #[expect(clippy::cast_precision_loss, reason = "compared with a day")]
            Number::Int(value) => Some(value.as_i64().map_or(f64::INFINITY, |value| value as f64)),
            Number::Float(value) => Some(*value),
            Number::Complex { .. } => None,
        },
        _ => None,
    }
}

fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::BinOp(operation) => is_constant(&operation.left) && is_constant(&operation.right),
        other => other.is_literal_expr(),
    }
}
