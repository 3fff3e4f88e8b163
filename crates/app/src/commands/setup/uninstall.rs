//! `plimsoll uninstall`: the hooks go, and whatever `init` made. What stays is named, with the reason and the command that takes it away.

use std::path::{Path, PathBuf};

use state::config::Layer;
use state::{Machine, Project, exclude, files, log, native, originals};

use super::plan::{Copies, Plan};
use super::{Scope, peers, registration};
use crate::ui::{Printer, Tone};
use crate::{exit, person};

/// Take the hooks out of the settings again, and the files that `init` made.
///
/// Settings get their old bytes back, and a file that was not there before goes. A config that you have changed since stays, and so do
/// our records; what stays is named. `--purge` removes our records of this project too, `--all` everything that we keep on
/// this machine.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Agree, where there is no terminal to ask on
    #[arg(short, long)]
    yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Only from these agents, by name; from all that name us, if not given
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 1..)]
    agent: Vec<String>,
    /// Only from this settings file
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// Also remove our records of this project: baselines, approvals, evidence, and the config though you have changed it. Backups of your files stay
    #[arg(long)]
    purge: bool,
    /// Also remove everything that we keep on this machine, for all projects: log, records, backups, installed linters
    #[arg(long, conflicts_with_all = ["agent", "scope"])]
    all: bool,
}

impl Args {
    /// From one settings file, asking nothing.
    pub(crate) fn quiet(scope: Scope) -> Self {
        let agent = vec!["claude".into()];
        Self { yes: true, dry_run: false, agent, scope: Some(scope), purge: false, all: false }
    }

    /// The whole of it, not one agent or one file.
    fn is_whole(&self) -> bool {
        self.agent.is_empty() && self.scope.is_none()
    }
}

/// Files and folders that go besides what the plan changes.
#[derive(Debug, Default)]
struct Records {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Records {
    fn of(machine: &Machine, project: &Project, args: &Args) -> Self {
        let mut records = Self::default();
        if args.purge || args.all {
            records.files = exclude::records_in(project);
            records.folders.push(project.records.clone());
        }
        if args.purge
            && let Some(config) = Layer::Project.file(machine, project)
        {
            // One that is as we made it is in the plan.
            let text = files::read(&config).ok().flatten();
            let theirs = text.is_some_and(|text| !originals::is_untouched(machine, &config, &text));
            records.files.extend(theirs.then_some(config));
        }
        if args.all {
            records.folders.extend([machine.state_dir(), machine.cache_dir()]);
        }
        records.folders.retain(|folder| files::is_dir(folder));
        records
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    fn show(&self, printer: &Printer) {
        for path in self.files.iter().chain(&self.folders) {
            printer.toned(Tone::Bad, &format!("{} is removed", path.display()));
        }
    }

    fn remove(&self, machine: &Machine, printer: &Printer) -> anyhow::Result<()> {
        for file in &self.files {
            files::remove(file)?;
            printer.toned(Tone::Good, &format!("removed {}", file.display()));
            super::plan::remove_own_folder(file);
        }
        for folder in &self.folders {
            // One of them may lie in another.
            if files::is_dir(folder) {
                files::remove_dir(folder)?;
                printer.toned(Tone::Good, &format!("removed {}", folder.display()));
                super::remove_emptied(machine, folder);
            }
        }
        Ok(())
    }
}

pub(crate) fn run(machine: &Machine, printer: &Printer, args: &Args) -> anyhow::Result<u8> {
    let project = Project::here(machine);
    let plan = plan(machine, &project, args)?;
    let records = Records::of(machine, &project, args);
    if plan.is_empty() {
        printer.line("no hooks of ours are registered");
    }
    if args.dry_run || !args.yes {
        // Every line of it would push what matters off the screen.
        if args.dry_run {
            plan.show(printer);
        } else {
            plan.show_short(printer);
        }
        records.show(printer);
    }
    if args.dry_run {
        printer.line("nothing was changed");
        return Ok(exit::OK);
    }
    if plan.is_empty() && records.is_empty() {
        if args.is_whole() {
            left(machine, &project, args, &[]).iter().for_each(|text| printer.line(text));
        }
        return Ok(exit::OK);
    }
    if !person::agrees(machine, printer, "Take the hooks out?", args.yes) {
        return Ok(exit::FAILED);
    }
    let others = if args.all { guarded_elsewhere(machine, &project) } else { Vec::new() };
    // With `--all` the copies go in the next moment.
    let copies = if args.all { Copies::Untold } else { Copies::Told };
    plan.write_telling(machine, &project, printer, copies)?;
    records.remove(machine, printer)?;
    if args.is_whole() {
        for text in left(machine, &project, args, &others) {
            printer.line(&text);
        }
    }
    Ok(exit::OK)
}

fn plan(machine: &Machine, project: &Project, args: &Args) -> anyhow::Result<Plan> {
    let mut plan = Plan::default();
    let means = |name: &str| args.agent.is_empty() || args.agent.iter().any(|agent| agent == name);
    for dialect in peers::all().filter(|dialect| means(dialect.id)) {
        peers::unregister(machine, project, &mut plan, dialect, args.scope)?;
    }
    let claude = means("claude") || means("claude-code");
    for scope in Scope::ALL.into_iter().filter(|scope| claude && args.scope.is_none_or(|only| only == *scope))
    {
        if let Some(file) = scope.file(machine, project).filter(|file| files::is_file(file)) {
            plan.take_out(machine, &file, registration::unregister)?;
        }
    }
    if args.is_whole() {
        if let Some(file) = exclude::file(project).filter(|file| files::is_file(file)) {
            plan.take_out(machine, &file, |text| Ok(exclude::remove(text)))?;
        }
        for file in [Layer::Project, Layer::User].into_iter().filter_map(|layer| layer.file(machine, project))
        {
            plan.unmake(machine, &file)?;
        }
    }
    Ok(plan)
}

/// Projects that hooks have come from, or that `init` has set up, and whose own settings still name us.
fn guarded_elsewhere(machine: &Machine, here: &Project) -> Vec<PathBuf> {
    let records = log::read(machine);
    let set_up =
        originals::known(machine).into_iter().filter_map(|file| file.parent()?.parent().map(Path::to_owned));
    let mut roots: Vec<PathBuf> = records
        .iter()
        .map(|record| PathBuf::from(&record.project))
        .chain(set_up)
        .filter(|root| *root != here.root && files::is_dir(root))
        .collect();
    roots.sort();
    roots.dedup();
    let own = |root: &PathBuf| {
        let project = Project::at(machine, root.clone());
        let named = registration::registered(machine, &project);
        named.iter().any(|(file, _)| file.starts_with(root))
    };
    roots.retain(own);
    roots
}

/// What is left, why, and what takes it away.
fn left(machine: &Machine, project: &Project, args: &Args, others: &[PathBuf]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(file) = Layer::Project.file(machine, project).filter(|file| files::exists(file)) {
        lines.push(format!(
            "left: {}, which has changed since `plimsoll init` made it; `plimsoll uninstall --purge` removes it",
            file.display()
        ));
    }
    let written = by_hand(machine, project);
    if !written.is_empty() {
        let names: Vec<String> = written.iter().map(|file| file.display().to_string()).collect();
        lines.push(format!(
            "left: {}, which you have written; delete by hand what you do not want",
            names.join(", ")
        ));
    }
    if !args.purge
        && !args.all
        && (files::is_dir(&project.records) || !exclude::records_in(project).is_empty())
    {
        lines.push(
            "left: our records of this project (approvals, evidence), for when you set it up again; `plimsoll uninstall --purge` removes them"
                .into(),
        );
    }
    let state = machine.state_dir();
    if files::is_dir(&state) {
        lines.push(format!(
            "left: {}: the log, and copies of the settings that were changed; `plimsoll uninstall --all` removes them",
            state.display()
        ));
    }
    for root in others {
        lines.push(format!("left: the hooks in {}; run `plimsoll uninstall` there", root.display()));
    }
    if let Some(program) = machine.executable() {
        lines.push(format!("left: the program itself; {}", how_to_remove(&program)));
    }
    lines
}

/// Settings and rules that nobody but a user makes.
fn by_hand(machine: &Machine, project: &Project) -> Vec<PathBuf> {
    let own = machine.told_home().map(|home| home.join(".claude/hooks"));
    let names = ["rules.toml", "rules.d"];
    let of_user =
        own.iter().flat_map(|hooks| ["config.json"].iter().chain(&names).map(|name| hooks.join(name)));
    let hooks = project.claude_dir().join("hooks");
    let of_project = ["config.local.json"].iter().chain(&names).map(|name| hooks.join(name));
    let mut all: Vec<PathBuf> = of_project.chain(of_user).filter(|path| files::exists(path)).collect();
    // A home may itself be the project.
    all.sort();
    all.dedup();
    all
}

/// By whom it was put there.
fn how_to_remove(program: &Path) -> String {
    // One spelling for all systems.
    let text = program.to_string_lossy().replace('\\', "/");
    let has = |part: &str| text.contains(part);
    if native::is_npx_cache(program) {
        return "npm clears it with its cache".into();
    }
    if has("/node_modules/") {
        return "`npm uninstall --global plimsoll` removes it".into();
    }
    if has("/.cargo/bin/") {
        return "`cargo uninstall plimsoll` removes it".into();
    }
    if has("/Cellar/") || has("/homebrew/") {
        return "`brew uninstall plimsoll` removes it".into();
    }
    if text == "/usr/bin/plimsoll" {
        return "`sudo apt remove plimsoll` removes it".into();
    }
    if has("/mise/installs/") {
        return "`mise uninstall plimsoll` removes it".into();
    }
    if has("/nix/store/") {
        return "`nix profile remove plimsoll` removes it".into();
    }
    if text.as_bytes().get(1) == Some(&b':') {
        return format!("delete {}", program.display());
    }
    format!("`rm {}` removes it", shell::quote(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_goes_as_it_came() {
        for (path, way) in [
            ("/usr/lib/node_modules/plimsoll/node_modules/@plimsoll/linux-x64/bin/plimsoll", "npm uninstall"),
            ("/home/me/.cargo/bin/plimsoll", "cargo uninstall"),
            ("/usr/bin/plimsoll", "apt remove"),
            (r"C:\Users\me\AppData\Roaming\npm\node_modules\plimsoll\plimsoll.exe", "npm uninstall"),
            (r"C:\Users\me\.cargo\bin\plimsoll.exe", "cargo uninstall"),
            (r"C:\tools\plimsoll.exe", r"delete C:\tools\plimsoll.exe"),
            ("/home/me/my tools/plimsoll", "`rm '/home/me/my tools/plimsoll'`"),
        ] {
            assert!(how_to_remove(Path::new(path)).contains(way), "{path}");
        }
    }
}
