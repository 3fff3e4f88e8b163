//! Which words change, whatever stands around them.

use model::Effect;
use proptest::prelude::*;

use super::{become_, pass, refused, report};
use crate::{Context, Options, cases, run};

#[test]
fn only_the_words_of_the_invocation_change() {
    become_(
        "pip",
        &[
            ("cd /app && pip install flask", "cd /app && uv add flask"),
            ("VAR=1 pip install x 2>&1 | tail -3", "VAR=1 uv add x 2>&1 | tail -3"),
            ("sudo -u me pip install x", "sudo -u me uv add x"),
            ("env A=b timeout 9 pip install x", "env A=b timeout 9 uv add x"),
            ("(pip install x) || { exec pip list; }", "(uv add x) || { exec uv pip list; }"),
            (
                "if ! pip list | grep x; then pip install x; fi",
                "if ! uv pip list | grep x; then uv add x; fi",
            ),
            ("for p in a b; do pip install $p; done", "for p in a b; do uv add $p; done"),
            ("echo $(pip freeze)", "echo $(uv pip freeze)"),
            ("echo a b | xargs pip install > log", "echo a b | xargs uv add > log"),
            ("pip \\\n  install \\\n  a b\nls", "uv add a b\nls"),
            ("pip >log install x", "uv add x >log"),
            ("pip install c {a,b} > log", "uv add c {a,b} > log"),
            ("pip install \"${PKGS[@]}\" c", "uv add \"${PKGS[@]}\" c"),
            ("p\\ip install x; pi''p list", "uv add x; uv pip list"),
            ("CMD=pip; $CMD install x", "CMD=pip; uv add x"),
            ("pip install x\ncat <<EOF\npip install y\nEOF", "uv add x\ncat <<EOF\npip install y\nEOF"),
            ("uv pip install -r r && pip install flask", "uv pip install -r r && uv add flask"),
        ],
    );
    become_("npm", &[("xargs -I{} npm install {} < f", "xargs -I{} bun add {} < f")]);
    become_("npm", &[("npm audit; npm install evil", "npm audit; bun add evil")]);
    become_("pip, npm", &[("pip install a && npm i b || ls", "uv add a && bun add b || ls")]);
    become_("npm, pip", &[("pip install $(npm ls) x", "uv add $(bun pm ls) x")]);
    become_("npx, pip", &[("npx a && sudo pip install z", "bunx a && sudo uv add z")]);
    become_("yarn", &[("npx --version; yarn add evil", "npx --version; bun add evil")]);
    become_("poetry", &[("pip --version || poetry add x", "pip --version || uv add x")]);
}

#[test]
fn inside_other_text_the_invocation_stands_alone() {
    become_(
        "pip",
        &[
            ("bash -c 'cd /x && pip install -r r.txt'", "uv pip install -r r.txt"),
            ("bash <<EOF\npip install x\nEOF", "uv add x"),
            ("eval \"pip install x\"", "uv add x"),
            ("CMD='pip install'; $CMD x", "uv add x"),
        ],
    );
    become_("npm", &[("concurrently 'npm run a' 'npm run b'", "bun run a; bun run b")]);
    let mixed = (
        "pip install a && sh -c 'npm i \"b c\"'",
        "uv add a && sh -c 'npm i \"b c\"' (and inside it: bun add 'b c')",
    );
    become_("pip, npm", &[mixed]);
}

#[test]
fn words_that_run_nothing_pass() {
    pass(&[
        "uv add x",
        "uv pip install -r r",
        "uv run pip install x",
        "uv run python -m pip list",
        "uvx pip install x",
    ]);
    pass(&["bun add x", "bun x npm i", "bunx npm i", "bunx vite", "bun run build"]);
    pass(&[
        "which pip",
        "command -v pip",
        "type npm",
        "man npm",
        "brew install npm",
        "apt install python3-pip",
    ]);
    pass(&["cat pip.conf", "rm yarn.lock", "ls node_modules/npm", "grep -r 'pip install' .", "PKG_MGR=pip"]);
    pass(&[
        "git commit -m 'use npm install, not yarn'",
        "echo \"pip install x\"",
        "# pip install x",
        "cat <<EOF\nnpm i\nEOF",
    ]);
    pass(&["docker run img pip install x", "docker compose exec web npm test", "ssh host pip install x"]);
}

#[test]
fn every_invocation_goes_by_its_own_mode() {
    let modes = [("package_managers.python", "uv:warn"), ("package_managers.javascript", "bun")];
    let verdict = report("pip install x && npm install y", &modes).verdict;
    assert_eq!(verdict.reason(), "[hook:block] npm not allowed. Use: uv add x && bun add y");
    assert_eq!(verdict.context, ["[hook:advisory] pip detected. Prefer: uv add x && bun add y"]);
    let modes = [("package_managers.python", "off"), ("package_managers.javascript", "bun")];
    let verdict = report("pip install x; npm i", &modes).verdict;
    assert_eq!(verdict.reason(), "[hook:block] npm not allowed. Use: pip install x; bun install");
    let verdict = report("poetry run npm i", &modes).verdict;
    assert_eq!(verdict.reason(), "[hook:block] npm not allowed. Use: poetry run bun install");
}

#[test]
fn a_missing_tool_is_named_once() {
    let toml = r#"
        [[case]]
        command = "pip install x"
        expect = "deny"
        why = "it was said before"
        given = { config = { "package_managers.python" = "uv" }, missing_programs = ["uv"], said = ["uv-not-found"] }
    "#;
    let case = cases::parse(toml).unwrap().remove(0);
    let only = ["shell/package-manager".to_owned()];
    let options = Options { only: Some(&only), ..Options::default() };
    let report = run(&case.event, &Context::new(&case.config, &case.table), &options);
    assert_eq!(report.verdict.decision, case.expect);
    assert!(report.verdict.context.is_empty() && report.effects.is_empty(), "{report:?}");
}

#[test]
fn nothing_is_recorded_unless_asked_for() {
    let both = [("package_managers.python", "uv"), ("package_managers.javascript", "bun")];
    assert_eq!(report("pip install x; npm i", &both).effects, Vec::<Effect>::new());
}

proptest! {
    /// Whatever the words are, there is an answer.
    #[test]
    fn any_words_give_an_answer(words in proptest::collection::vec(0..WORDS.len(), 1..9)) {
        let command = words.into_iter().map(|index| WORDS[index]).collect::<Vec<_>>().join(" ");
        let _ = refused(&command);
    }
}

const WORDS: &[&str] = &[
    "pip",
    "python3.11",
    "-m",
    "venv",
    "poetry",
    "pipenv",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "install",
    "run",
    "add",
    "exec",
    "workspace",
    "workspaces",
    "foreach",
    "global",
    "-r",
    "-rx",
    "-qr",
    "--",
    "-",
    "--only",
    "--only=main",
    "-E",
    "'a b'",
    "-é",
    "--é=ü",
    "$X",
    "\"${A[@]}\"",
    "{a,b}",
    ">l",
    "2>&1",
    "&&",
    ";",
    "|",
    "xargs",
    "uv",
    "bun",
    "x",
    "$(npm",
    ")",
    "''",
    "\\\n",
];
