//! The texts of suggestions: what a command becomes. Those for uv and bun were tried with the real programs.

mod words;

use model::{Config, Level};
use serde_json::json;

use crate::cases::{Table, shell_event};
use crate::{Context, Options, Report, run};

fn report(command: &str, config: &[(&str, &str)]) -> Report {
    let mut set = Config::default();
    for (key, value) in config {
        assert!(set.set(key, &json!(value)), "{key}");
    }
    set.checks.insert("shell/package-manager".into(), Level::On);
    let only = ["shell/package-manager".to_owned()];
    let table = Table::default();
    run(
        &shell_event(command),
        &Context::new(&set, &table),
        &Options { only: Some(&only), ..Options::default() },
    )
}

/// The tools that are refused, and the command to use; nothing where nothing is said.
fn refused(command: &str) -> (String, String) {
    let both = [("package_managers.python", "uv"), ("package_managers.javascript", "bun")];
    let reason = report(command, &both).verdict.reason();
    let parts = reason.strip_prefix("[hook:block] ").and_then(|text| text.split_once(" not allowed. Use: "));
    let (tools, text) = parts.unwrap_or_else(|| {
        assert!(reason.is_empty(), "{command}: {reason}");
        ("", "")
    });
    (tools.to_owned(), text.to_owned())
}

#[track_caller]
fn become_(tool: &str, rows: &[(&str, &str)]) {
    for (command, expected) in rows {
        let (tools, text) = refused(command);
        assert_eq!((tools.as_str(), text.as_str()), (tool, *expected), "{command}");
        // What is suggested must not be refused in its turn.
        if !expected.contains('<') && !expected.contains("(and inside it: ") {
            pass(&[expected]);
        }
    }
}

#[track_caller]
fn pass(commands: &[&str]) {
    for command in commands {
        assert_eq!(refused(command), (String::new(), String::new()), "{command}");
    }
}

#[test]
fn pip() {
    become_(
        "pip",
        &[
            ("pip install A B", "uv add A B"),
            ("pip3 install A", "uv add A"),
            ("pip3.11 install A", "uv add A"),
            ("/usr/bin/pip install A", "uv add A"),
            (".venv/bin/pip install A", "uv add A"),
            ("pip install", "uv add <packages>"),
            ("pip install \"requests[socks]\" 'a>=1'", "uv add \"requests[socks]\" 'a>=1'"),
            ("pip install x --index-url https://u/simple", "uv add x --index-url https://u/simple"),
            ("pip install --index-url=https://u x", "uv add --index-url=https://u x"),
            ("pip install -U x", "uv add --upgrade x"),
            ("pip install --upgrade x", "uv add --upgrade x"),
            ("pip install -qU x", "uv add -q --upgrade x"),
            ("pip -q install x", "uv add -q x"),
            ("pip install --user --no-cache-dir --progress-bar off x", "uv add --no-cache x"),
            ("pip install --break-system-packages x", "uv add x"),
            ("pip install --pre --trusted-host h x", "uv add --prerelease allow --allow-insecure-host h x"),
            ("pip install git+https://github.com/a/b", "uv add git+https://github.com/a/b"),
            ("pip install -r dev.txt", "uv pip install -r dev.txt"),
            ("pip install -rdev.txt", "uv pip install -rdev.txt"),
            ("pip install -qr \"my file\"", "uv pip install -q -r \"my file\""),
            ("pip install --requirement=\"$F\"", "uv pip install -r \"$F\""),
            ("pip install -e ./pkg", "uv pip install -e ./pkg"),
            ("pip install --editable '.[dev]'", "uv pip install -e '.[dev]'"),
            ("pip install .", "uv pip install ."),
            ("pip install --no-deps -t lib x", "uv pip install --no-deps -t lib x"),
            ("pip uninstall A", "uv remove A"),
            ("pip uninstall -y A B", "uv remove A B"),
            ("pip uninstall", "uv remove <packages>"),
            ("pip uninstall -y -r r.txt", "uv pip uninstall -r r.txt"),
            ("pip freeze > requirements.txt", "uv pip freeze > requirements.txt"),
            ("pip list -o --format=json", "uv pip list --outdated --format=json"),
            ("pip show -f x", "uv pip show -f x"),
            ("pip check", "uv pip check"),
            ("pip cache purge", "uv cache clean"),
            ("pip", "uv <equivalent>"),
            ("pip help", "uv <equivalent>"),
            ("pip index versions x", "uv <equivalent>"),
        ],
    );
    become_(
        "python -m pip",
        &[
            ("python -m pip install P", "uv add P"),
            ("python3.11 -m pip install -r f", "uv pip install -r f"),
            ("py -m pip install P", "uv add P"),
            ("python -I -W ignore -m pip install P", "uv add P"),
            ("python -Wmodule -X utf8 -m pip install P", "uv add P"),
            ("python -mpip list", "uv pip list"),
            ("python -Im pip list", "uv pip list"),
        ],
    );
    pass(&["pip --version", "pip -V", "pip -h", "pip -v", "pip --help", "pip download -d ./dist x"]);
    pass(&[
        "python -m pip --version",
        "python -m pip download x",
        "python x.py -m pip",
        "python -m http.server",
    ]);
    pass(&[
        "pipx install x",
        "virtualenv v",
        "python -m virtualenv v",
        "python -m ensurepip",
        "conda install x",
    ]);
}

#[test]
fn venv() {
    become_(
        "python -m venv",
        &[
            ("python -m venv D", "uv venv D"),
            ("python3 -m venv", "uv venv"),
            ("python3.12 -m venv .venv", "uv venv .venv --python 3.12"),
            ("python -m venv --clear --upgrade-deps --prompt x .venv", "uv venv --clear --prompt x .venv"),
        ],
    );
    pass(&["python -m venv --help", "source .venv/bin/activate"]);
}

#[test]
fn poetry() {
    become_(
        "poetry",
        &[
            ("poetry add requests", "uv add requests"),
            ("poetry add", "uv add <packages>"),
            ("poetry add -G dev pytest", "uv add --group dev pytest"),
            ("poetry add django@^4.2 a@latest b@1.2", "uv add 'django>=4.2' a b==1.2"),
            ("poetry add git+https://github.com/a/b@main", "uv add git+https://github.com/a/b@main"),
            ("poetry install", "uv sync"),
            (
                "poetry install --no-root --with dev,test -E 'a b' -n",
                "uv sync --no-install-project --group dev --group test --extra a --extra b",
            ),
            ("poetry install --only main", "uv sync --no-dev"),
            ("poetry install --only docs", "uv sync --only-group docs"),
            ("poetry -C sub install", "uv sync --directory sub"),
            ("poetry run pytest -q --foo=bar", "uv run pytest -q --foo=bar"),
            ("poetry run", "uv run <cmd>"),
            ("poetry run pip install x", "uv add x"),
            ("poetry run pip --version", "uv run pip --version"),
            ("poetry lock --no-update", "uv lock"),
            ("poetry remove x", "uv remove x"),
            ("poetry update", "uv sync --upgrade"),
            ("poetry update a b", "uv sync --upgrade-package a --upgrade-package b"),
            ("poetry show --tree", "uv tree"),
            ("poetry show x", "uv pip show x"),
            ("poetry build -f wheel", "uv build --wheel"),
            ("poetry version patch", "uv version --bump patch"),
            ("poetry env use 3.11", "uv venv --python 3.11"),
            (
                "poetry export -f requirements.txt --without-hashes -o r.txt",
                "uv export --format requirements.txt --no-hashes -o r.txt",
            ),
            ("poetry", "uv <equivalent>"),
            ("poetry shell", "uv <equivalent>"),
            ("poetry env info", "uv <equivalent>"),
        ],
    );
    pass(&["poetry --help", "poetry -V", "poetry --version"]);
}

#[test]
fn pipenv() {
    become_(
        "pipenv",
        &[
            ("pipenv install", "uv sync"),
            ("pipenv install --dev", "uv sync"),
            ("pipenv install --deploy --system", "uv sync --locked"),
            ("pipenv install P", "uv add P"),
            ("pipenv install --dev pytest", "uv add --dev pytest"),
            ("pipenv install -r r.txt", "uv add -r r.txt"),
            ("pipenv run python x.py", "uv run python x.py"),
            ("pipenv uninstall x", "uv remove x"),
            ("pipenv sync -d", "uv sync"),
            ("pipenv lock", "uv lock"),
            ("pipenv update x", "uv sync --upgrade-package x"),
            ("pipenv graph", "uv tree"),
            ("pipenv", "uv <equivalent>"),
            ("pipenv shell", "uv <equivalent>"),
        ],
    );
    pass(&["pipenv --version", "pipenv -h"]);
}

#[test]
fn npm() {
    become_(
        "npm",
        &[
            ("npm install", "bun install"),
            ("npm i", "bun install"),
            ("npm ci", "bun install --frozen-lockfile"),
            ("npm ci --omit=dev", "bun install --frozen-lockfile --production"),
            ("npm install --production --no-audit --no-fund", "bun install --production"),
            ("npm install P", "bun add P"),
            ("npm add P", "bun add P"),
            ("npm i --save-dev typescript @types/node", "bun add --dev typescript @types/node"),
            ("npm install -E P --legacy-peer-deps", "bun add --exact P"),
            ("npm -g install P", "bun add -g P"),
            ("npm install --global P", "bun add -g P"),
            ("npm --prefix web install", "bun install --cwd web"),
            ("npm install -w web lodash", "bun add --filter web lodash"),
            ("npm run build", "bun run build"),
            ("npm run build -- --watch \"a b\"", "bun run build -- --watch \"a b\""),
            ("npm run build --workspace=web -- --x", "bun run --filter=web build -- --x"),
            ("npm run dev --prefix web", "bun run --cwd web dev"),
            ("npm run", "bun run"),
            ("npm test", "bun test"),
            ("npm t -- --ci", "bun test -- --ci"),
            ("npm test --workspaces", "bun run --workspaces test"),
            ("npm start -- --port 3", "bun run start -- --port 3"),
            ("npm exec vite build", "bunx vite build"),
            ("npm exec --package=typescript -- tsc -p .", "bunx --package=typescript tsc -p ."),
            ("npm exec -c 'tsc -p .'", "bun <equivalent>"),
            ("npm init -y", "bun init -y"),
            ("npm create vite@latest app -- --template react", "bun create vite@latest app --template react"),
            ("npm uninstall P", "bun remove P"),
            ("npm rm P Q", "bun remove P Q"),
            ("npm remove", "bun remove <packages>"),
            ("npm update x", "bun update x"),
            ("npm ls --depth=0", "bun pm ls"),
            ("npm link", "bun link"),
            ("npm version patch", "bun pm version patch"),
            ("npm", "bun <equivalent>"),
            ("npm help", "bun <equivalent>"),
            ("npm config get registry", "bun <equivalent>"),
        ],
    );
    pass(&["npm audit", "npm audit fix", "npm view x", "npm pack", "npm publish", "npm whoami", "npm login"]);
    pass(&["npm --registry=U audit", "npm --registry U audit", "npm --version", "npm -v", "npm -h"]);
}

#[test]
fn npx() {
    become_(
        "npx",
        &[
            ("npx create-react-app my-app", "bunx create-react-app my-app"),
            ("npx -y create-x --flag \"a b\"", "bunx -y create-x --flag \"a b\""),
            ("npx -p typescript tsc --noEmit", "bunx -p typescript tsc --noEmit"),
            ("npx --no eslint .", "bunx --no-install eslint ."),
            ("npx foo -- --bar", "bunx foo -- --bar"),
            ("npx npm install", "bunx npm install"),
            ("npx", "bunx <pkg>"),
            ("npx -c 'echo hi'", "bun <equivalent>"),
        ],
    );
    pass(&["npx --version", "npx -v", "npx --help", "pnpx x"]);
}

#[test]
fn yarn() {
    become_(
        "yarn",
        &[
            ("yarn", "bun install"),
            ("yarn --frozen-lockfile", "bun install --frozen-lockfile"),
            ("yarn install --immutable --network-timeout 9", "bun install --frozen-lockfile"),
            ("yarn add P", "bun add P"),
            ("yarn add -D P", "bun add --dev P"),
            ("yarn add -P P", "bun add --peer P"),
            ("yarn add", "bun add <packages>"),
            ("yarn remove P", "bun remove P"),
            ("yarn run S --x", "bun run S --x"),
            ("yarn build -s", "bun run build -s"),
            ("yarn test", "bun test"),
            ("yarn global add P", "bun add -g P"),
            ("yarn dlx create-x a", "bunx create-x a"),
            ("yarn workspace web add x", "bun add --filter web x"),
            ("yarn workspace web build", "bun run --filter web build"),
            ("yarn workspaces foreach -A run build", "bun run --workspaces build"),
            ("yarn workspaces list", "bun <equivalent>"),
            ("yarn config set x y", "bun <equivalent>"),
        ],
    );
    pass(&["yarn audit", "yarn info x", "yarn --version", "yarn -v"]);
}

#[test]
fn pnpm() {
    become_(
        "pnpm",
        &[
            ("pnpm", "bun install"),
            ("pnpm install --frozen-lockfile", "bun install --frozen-lockfile"),
            ("pnpm i -P", "bun install --production"),
            ("pnpm -r install", "bun install"),
            ("pnpm add -D P -w", "bun add --dev P"),
            ("pnpm --filter w add x", "bun add --filter w x"),
            ("pnpm uninstall P", "bun remove P"),
            ("pnpm run b --x", "bun run b --x"),
            ("pnpm b", "bun run b"),
            ("pnpm -r build", "bun run --workspaces build"),
            ("pnpm -F w test", "bun run --filter w test"),
            ("pnpm dlx create-x", "bunx create-x"),
            ("pnpm exec tsc -p .", "bunx tsc -p ."),
            ("pnpm --filter w exec tsc", "bun <equivalent>"),
            ("pnpm store prune", "bun <equivalent>"),
        ],
    );
    pass(&["pnpm audit", "pnpm info x", "pnpm -h"]);
}
