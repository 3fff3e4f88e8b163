//! What goes out to others: `shell/deploy`.

use model::{Autonomy, Event, Findings, Level, Levels, Meta};
use shell::Call;
use shell::text::{is_known, show};

use super::words::{git, only_looks, subcommands, value};
use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels { standard: Level::Off, strict: Level::Off, autonomous: Level::On },
    ..super::guard(
        "shell/deploy",
        "a deployment by an agent that works alone",
        "\
While autonomous work is active (`.claude/autonomous-state.json` in the project or in `~/.claude`, not older than
`autonomy.ttl_hours`; or `GODO_ACTIVE` or `APPFIX_ACTIVE` is `true`), an agent whose state says `\"coordinator\": false` deploys
nothing: `gh workflow run`, `kubectl apply`, `terraform apply`, `vercel`, `npm publish`, `docker push` and their like are
refused, because only the coordinator knows what else is under way.

For everybody else a deployment that names production (`environment=production`, `--env prod`, `--prod`, `prod.yml`, a context
or namespace of that name) needs the plan's permission: an entry of `allowed_prompts` in that state with the tool `Bash` and a
prompt that says `prod` or `production`. A target that cannot be told from the command is a question to the person.
Rehearsals and reading pass, as does everything while no autonomous work is active: then a person is there to be asked.
",
        include_str!("deploy.toml"),
    )
};

/// A program, the words that its operands begin with (`*` for any end), and an option that must be there too.
const ROWS: &[(&str, &[&str], &str)] = &[
    ("amplify", &["publish"], ""),
    ("amplify", &["push"], ""),
    ("argocd", &["app", "sync"], ""),
    ("aws", &["cloudformation", "create-stack"], ""),
    ("aws", &["cloudformation", "deploy"], ""),
    ("aws", &["cloudformation", "update-stack"], ""),
    ("aws", &["deploy", "create-deployment"], ""),
    ("aws", &["ecs", "deploy"], ""),
    ("aws", &["ecs", "run-task"], ""),
    ("aws", &["ecs", "update-service"], ""),
    ("aws", &["elasticbeanstalk", "update-environment"], ""),
    ("aws", &["lambda", "update-function-code"], ""),
    ("az", &["containerapp", "up"], ""),
    ("az", &["containerapp", "update"], "--image"),
    ("az", &["functionapp", "deploy*"], ""),
    ("az", &["webapp", "deploy*"], ""),
    ("az", &["webapp", "up"], ""),
    ("azd", &["deploy"], ""),
    ("azd", &["up"], ""),
    ("bun", &["publish"], ""),
    ("cargo", &["publish"], ""),
    ("cdk", &["deploy"], ""),
    ("convex", &["deploy"], ""),
    ("docker", &["build"], "--push"),
    ("docker", &["buildx", "build"], "--push"),
    ("docker", &["compose", "push"], ""),
    ("docker", &["image", "push"], ""),
    ("docker", &["push"], ""),
    ("docker", &["service", "update"], ""),
    ("docker", &["stack", "deploy"], ""),
    ("doctl", &["apps", "create-deployment"], ""),
    ("dotnet", &["nuget", "push"], ""),
    ("eas", &["build"], ""),
    ("eas", &["submit"], ""),
    ("eas", &["update"], ""),
    ("eb", &["deploy"], ""),
    ("fastlane", &["deploy*"], ""),
    ("fastlane", &["release*"], ""),
    ("firebase", &["deploy"], ""),
    ("fly", &["deploy"], ""),
    ("fly", &["launch"], ""),
    ("flyctl", &["deploy"], ""),
    ("flyctl", &["launch"], ""),
    ("gcloud", &["app", "deploy"], ""),
    ("gcloud", &["functions", "deploy"], ""),
    ("gcloud", &["run", "deploy"], ""),
    ("gcloud", &["run", "services", "update*"], ""),
    ("gem", &["push"], ""),
    ("gh", &["workflow", "run"], ""),
    ("gh", &["run", "rerun"], ""),
    ("gradle", &["publish*"], ""),
    ("gradlew", &["publish*"], ""),
    ("helm", &["install"], ""),
    ("helm", &["rollback"], ""),
    ("helm", &["upgrade"], ""),
    ("helmfile", &["apply"], ""),
    ("helmfile", &["sync"], ""),
    ("heroku", &["container:release"], ""),
    ("heroku", &["pipelines:promote"], ""),
    ("heroku", &["releases:rollback"], ""),
    ("just", &["deploy*"], ""),
    ("kamal", &["deploy"], ""),
    ("kubectl", &["apply"], ""),
    ("kubectl", &["replace"], ""),
    ("kubectl", &["rollout", "restart"], ""),
    ("kubectl", &["rollout", "undo"], ""),
    ("kubectl", &["rollout", "resume"], ""),
    ("kubectl", &["rollout", "pause"], ""),
    ("kubectl", &["set", "image"], ""),
    ("make", &["deploy*"], ""),
    ("mvn", &["deploy"], ""),
    ("netlify", &["deploy"], ""),
    ("nomad", &["job", "run"], ""),
    ("npm", &["publish"], ""),
    ("npm", &["run", "deploy*"], ""),
    ("oc", &["apply"], ""),
    ("oc", &["rollout", "latest"], ""),
    ("pnpm", &["deploy:*"], ""),
    ("pnpm", &["publish"], ""),
    ("pnpm", &["run", "deploy*"], ""),
    ("podman", &["push"], ""),
    ("poetry", &["publish"], ""),
    ("pulumi", &["up"], ""),
    ("pulumi", &["update"], ""),
    ("railway", &["deploy"], ""),
    ("railway", &["redeploy"], ""),
    ("railway", &["up"], ""),
    ("render", &["deploys", "create"], ""),
    ("sam", &["deploy"], ""),
    ("serverless", &["deploy"], ""),
    ("skaffold", &["deploy"], ""),
    ("skaffold", &["run"], ""),
    ("sls", &["deploy"], ""),
    ("sst", &["deploy"], ""),
    ("supabase", &["db", "push"], ""),
    ("supabase", &["functions", "deploy"], ""),
    ("terraform", &["apply"], ""),
    ("terragrunt", &["apply"], ""),
    ("terragrunt", &["run-all", "apply"], ""),
    ("tofu", &["apply"], ""),
    ("twine", &["upload"], ""),
    ("uv", &["publish"], ""),
    ("vercel", &["deploy"], ""),
    ("vercel", &["promote"], ""),
    ("vercel", &["redeploy"], ""),
    ("vercel", &["rollback"], ""),
    ("wrangler", &["deploy"], ""),
    ("wrangler", &["pages", "deploy"], ""),
    ("wrangler", &["pages", "publish"], ""),
    ("wrangler", &["publish"], ""),
    ("yarn", &["deploy*"], ""),
    ("yarn", &["npm", "publish"], ""),
    ("yarn", &["publish"], ""),
    ("yarn", &["run", "deploy*"], ""),
    ("ansible-playbook", &["deploy*"], ""),
    ("changeset", &["publish"], ""),
    ("flit", &["publish"], ""),
    ("goreleaser", &["release"], ""),
    ("hatch", &["publish"], ""),
    ("heroku", &["deploy:*"], ""),
    ("kubectl", &["create"], "-f"),
    ("kubectl", &["create"], "--filename"),
    ("lerna", &["publish"], ""),
    ("mix", &["hex.publish"], ""),
    ("pdm", &["publish"], ""),
    ("rake", &["release*"], ""),
];

/// Options that stand before the verb and take the next word with them.
const VALUES: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--kube-context",
    "--kubeconfig",
    "--cluster",
    "--user",
    "-s",
    "--server",
    "--profile",
    "--region",
    "--project",
    "--account",
    "-t",
    "--token",
    "--scope",
    "-S",
    "--cwd",
    "-c",
    "--config",
    "--subscription",
    "-a",
    "--app",
    "-f",
    "--filter",
    "-F",
    "--prefix",
    "--dir",
    "-C",
    "-w",
    "--workspace",
    "-R",
    "--repo",
    "-H",
    "--host",
    "-e",
    "--env",
    "--stack",
    "--directory",
    "--manifest-path",
];

/// Options that say where a deployment goes.
const TARGETS: &[&str] = &[
    "--env",
    "--environment",
    "-e",
    "--stage",
    "--target",
    "--context",
    "--kube-context",
    "-n",
    "--namespace",
    "--cluster",
    "--workspace",
    "--stack",
    "--profile",
];

/// Variables that say the same. `NODE_ENV` does not: previews are built with it, too.
const TARGET_VARIABLES: &[&str] = &[
    "ENV",
    "ENVIRONMENT",
    "APP_ENV",
    "DEPLOY_ENV",
    "STAGE",
    "TARGET",
    "AWS_PROFILE",
    "KUBECONFIG",
    "TF_WORKSPACE",
    "PULUMI_STACK",
    "CLOUDFLARE_ENV",
    "VERCEL_ENV",
];

pub(crate) struct Rule;

impl Check for Rule {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn run(&self, event: &Event, cx: &Context<'_>, out: &mut Findings) {
        let Some(reading) = cx.reading(event) else { return };
        let mut deployments = reading.calls.iter().filter(|call| deploys(call)).peekable();
        // The state is on disk: it is looked for when there is a reason to.
        if deployments.peek().is_none() {
            return;
        }
        let Some(autonomy) = cx.facts.autonomy() else { return };
        for call in deployments {
            judge(call, &autonomy, out);
        }
    }
}

fn judge(call: &Call, autonomy: &Autonomy, out: &mut Findings) {
    let line = show(&call.line());
    if !autonomy.coordinator {
        let what = format!(
            "`{line}` deploys, and this agent is not the coordinator (`coordinator: false` in autonomous-state.json)."
        );
        let finding = out.deny(
            META.id,
            what,
            "Subagents do not deploy: only the coordinator knows what else is under way.",
        );
        finding.instead =
            Some("Finish and verify the work, and leave the deployment to the coordinator.".into());
        finding.at.clone_from(&call.span);
        return;
    }
    if allows_production(autonomy) {
        return;
    }
    if let Some(word) = production(call) {
        let what = format!("`{line}` deploys to production (`{word}`).");
        let finding = out.deny(
            META.id,
            what,
            "Autonomous work stops before production unless the plan allows it explicitly.",
        );
        finding.instead = Some("Deploy to staging and verify there, then let the person allow production in the plan (`allowed_prompts`) or do it.".into());
        finding.at.clone_from(&call.span);
    } else if let Some(word) = unknown_target(call) {
        let what =
            format!("`{line}` deploys to a target that cannot be told from the command (`{}`).", show(word));
        out.ask(META.id, what, "It may be production.").instead =
            Some("Name the target in the command.".into());
    }
}

fn deploys(call: &Call) -> bool {
    if only_looks(call) {
        return false;
    }
    if let Some(git) = git(call) {
        let remote =
            git.operands(&["-o", "--push-option", "--repo"]).first().map_or("", |arg| arg.text.as_str());
        return git.verb == "push"
            && ["heroku", "dokku"].iter().any(|host| remote.contains(host))
            && !git.flag("n", &["dry-run"]);
    }
    // `python -m twine upload`, `uvx twine upload`: the tool is one of the words.
    if let Some(at) = tool_at(call) {
        let argv = call.argv[at..].to_vec();
        return deploys(&Call { argv, ..call.clone() });
    }
    // `npx netlify-cli deploy` is `netlify deploy`.
    let program = call.program();
    let program = program.strip_suffix("-cli").or(program.strip_suffix("-tools")).unwrap_or(program);
    let mut words = subcommands(call, VALUES);
    // `cargo +nightly publish`, `yarn workspace web publish`
    words.retain(|word| !word.starts_with('+'));
    if words.first() == Some(&"workspace") && words.len() > 2 {
        words.drain(..2);
    }
    let hit = ROWS.iter().any(|(name, verbs, option)| {
        program == *name
            && verbs.len() <= words.len()
            && verbs.iter().zip(&words).all(|(verb, word)| matches_word(verb, word))
            && (option.is_empty() || call.texts().any(|text| text.split('=').next() == Some(option)))
    });
    let bare = match program {
        // Without a verb it deploys the folder that it is in, or is given.
        "vercel" | "vc" => words.first().is_none_or(|word| word.starts_with(['.', '/'])) && !call.has("-v"),
        "cap" | "mina" => words.contains(&"deploy"),
        "surge" | "semantic-release" | "gh-pages" => !call.has("--dry-run"),
        "gh" => words.first() == Some(&"api") && words.iter().any(|word| word.ends_with("/dispatches")),
        _ => false,
    };
    (hit || bare) && !stays_here(call, program, &words)
}

/// Where the tool stands that a runner of Python's starts.
fn tool_at(call: &Call) -> Option<usize> {
    let text = |at: usize| call.argv.get(at).map(|arg| arg.text.as_str());
    match call.program() {
        "uvx" => (1..call.argv.len()).find(|at| text(*at).is_some_and(|word| !word.starts_with('-'))),
        "pipx" if text(1) == Some("run") => (call.argv.len() > 2).then_some(2),
        program if program.starts_with("python") && text(1) == Some("-m") => {
            (call.argv.len() > 2).then_some(2)
        }
        _ => None,
    }
}

fn matches_word(pattern: &str, word: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == word, |start| word.starts_with(start))
}

/// A registry or cluster on this machine is nobody else's.
fn stays_here(call: &Call, program: &str, words: &[&str]) -> bool {
    let local = |host: &str| {
        ["localhost", "127.0.0.1"].iter().any(|name| host.split([':', '/']).next() == Some(name))
    };
    match program {
        "docker" | "podman" => words.last().is_some_and(|image| local(image)),
        "kubectl" | "helm" | "oc" => value(call, &["--context", "--kube-context"]).is_some_and(|name| {
            matches!(name, "minikube" | "docker-desktop" | "rancher-desktop")
                || name.starts_with("kind-")
                || name.starts_with("k3d-")
        }),
        _ => false,
    }
}

/// The word that names production.
fn production(call: &Call) -> Option<&str> {
    let variables = call
        .vars
        .iter()
        .filter(|(name, _)| TARGET_VARIABLES.contains(&name.as_str()))
        .map(|(_, value)| value.as_str());
    call.texts().chain(variables).find(|text| names_production(text))
}

/// `prod`, `--prod`, `environment=production`, `deploy-prod.yml`, `k8s/prod/`; not `preprod`, `non-prod` or `--prod=false`.
fn names_production(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    // Several words are a message to people.
    if word.contains(char::is_whitespace) || word.ends_with("=false") {
        return false;
    }
    let mut before = "";
    for part in word.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        if matches!(part, "prod" | "production" | "prd") && !matches!(before, "pre" | "non" | "no" | "not") {
            return true;
        }
        before = part;
    }
    false
}

fn unknown_target(call: &Call) -> Option<&str> {
    let named = value(call, TARGETS).filter(|text| !is_known(text));
    named.or_else(|| {
        call.texts().find(|text| {
            let Some((name, value)) = text.split_once('=') else { return false };
            matches!(name.trim_start_matches('-'), "env" | "environment" | "stage" | "target")
                && !is_known(value)
        })
    })
}

/// The plan's permission: a prompt for the shell that speaks of production.
fn allows_production(autonomy: &Autonomy) -> bool {
    let speaks = |prompt: &str| {
        let prompt = prompt.to_ascii_lowercase();
        prompt.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| matches!(word, "prod" | "production"))
    };
    autonomy.allowed_prompts.iter().any(|(tool, prompt)| tool == "Bash" && speaks(prompt))
}
