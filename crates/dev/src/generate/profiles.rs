//! `profiles.md`.

use model::config::Profile;

use super::markdown::{Document, code};

pub(super) fn page() -> String {
    let mut page = Document::new("Profiles", "crates/checks/src");
    page.block(
        "The setting [`profile`](settings.md#profile) chooses how much is on; the setting [`checks`](settings.md#checks) sets single checks on top of it. \
         `on` answers in full, `warn` turns denials and questions into context for the agent, `off` does not run.",
    );
    page.block(
        "`observe` runs every check that any of the other profiles runs, at the highest level it has there. It says nothing \
         to the agent and blocks nothing; `plimsoll log` shows what the answers would have been.",
    );
    let [observe, guards, standard, strict, autonomous] = Profile::ALL.map(Profile::as_str);
    let observe = format!("{observe} (what any other runs, only logged)");
    let rows = checks::all().map(|check| {
        let meta = check.meta;
        let mut levels = Profile::ALL.map(|profile| meta.levels.of(profile).to_string()).into_iter();
        let link = format!("[{}](checks.md#{})", code(meta.id), super::checks::anchor(meta.id));
        std::array::from_fn::<_, 6, _>(|column| {
            if column == 0 { link.clone() } else { levels.next().unwrap_or_default() }
        })
    });
    page.table(["Check", &observe, guards, standard, strict, autonomous], rows);
    page.finish()
}
