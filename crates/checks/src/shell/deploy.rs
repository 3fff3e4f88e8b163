//! What goes out to others: `shell/deploy`.

use model::deed::{Deed, Object, Place, Verb};
use model::{Autonomy, Event, Findings, Levels, Meta};
use shell::Call;
use shell::programs::Role;
use shell::programs::kind::names_production;
use shell::text::{is_known, show};

use super::words::value;
use crate::{Check, Context};

static META: Meta = Meta {
    levels: Levels::AUTONOMOUS,
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
prompt that says `prod` or `production`. A target that cannot be told from the command is a question to the user.
Rehearsals and reading pass, as does everything while no autonomous work is active: then a user is there to be asked.
",
        include_str!("deploy.toml"),
    )
};

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

pub(crate) static CHECK: Check = Check::new(&META, run);

fn run(event: &Event, cx: &Context<'_>, out: &mut Findings) {
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
        finding.instead = Some("Deploy to staging and verify there, then let the user allow production in the plan (`allowed_prompts`) or do it.".into());
        finding.at.clone_from(&call.span);
    } else if let Some(word) = unknown_target(call) {
        let what =
            format!("`{line}` deploys to a target that cannot be told from the command (`{}`).", show(word));
        out.ask(META.id, what, "It may be production.").instead =
            Some("Name the target in the command.".into());
    }
}

fn deploys(call: &Call) -> bool {
    let leaves = |deed: &Deed| match (deed.verb, &deed.object) {
        // A registry or cluster on this machine is nobody else's.
        (Verb::Deploys, _) => deed.place != Place::Here,
        // A repository that runs what it gets.
        (Verb::Publishes, Object::Address(to) | Object::Thing(to)) => {
            ["heroku", "dokku"].iter().any(|host| to.contains(host))
        }
        _ => false,
    };
    let task = |(role, name): (Role, &str)| role == Role::Task && name.starts_with("deploy");
    let words = call.words();
    call.deeds.iter().any(leaves) || !words.rehearses && words.given(&call.argv).any(task)
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
