//! The new user's path in a real terminal, at 80 and at 140 columns: what is on the screen after each key.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::needs::missing;
use crate::world::{World, program, text};

const SETTINGS: &str = ".claude/settings.json";
const CONFIG: &str = ".claude/hooks/config.json";

/// Looked at so often, a tenth of a second apart, before a text counts as missing. Only a test that fails takes that long.
const LOOKS: usize = 600;

/// A terminal of its own, with a shell in the project.
struct Terminal {
    socket: PathBuf,
    columns: usize,
}

impl Terminal {
    /// `None` where there is no tmux.
    fn open(world: &World, columns: usize) -> Option<Self> {
        Self::sized(world, columns, 60)
    }

    fn sized(world: &World, columns: usize, rows: usize) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            missing("tmux", "tmux is not installed");
            return None;
        }
        let terminal = Self { socket: world.base().join(format!("tmux-{columns}")), columns };
        let bin = world.base().join("bin");
        let shell = format!(
            "env -i HOME={} PLIMSOLL_STATE_DIR={} TMPDIR={} TERM=xterm PATH={}:/usr/bin:/bin PS1='$ ' sh",
            text(&world.home()),
            text(&world.state()),
            text(&world.base().join("tmp")),
            text(&bin),
        );
        let (width, height) = (columns.to_string(), rows.to_string());
        let words = ["new-session", "-d", "-x", &width, "-y", &height, "-c", &text(&world.path("")), &shell];
        terminal.tmux(&words);
        Some(terminal)
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(["-f", "/dev/null"]).args(words);
        // Whoever runs the tests may sit in a tmux of their own.
        let done = command.env_remove("TMUX").output().unwrap();
        assert!(done.status.success(), "tmux {words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    }

    fn screen(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p", "-S", "-200"]);
        assert!(screen.lines().all(|line| line.chars().count() <= self.columns), "{screen}");
        screen
    }

    /// Waits until the screen ends in this.
    #[track_caller]
    fn shows(&self, end: &str) -> String {
        for _ in 0..LOOKS {
            let screen = self.screen();
            if screen.trim_end().ends_with(end.trim_end()) {
                return screen;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("«{end}» is not at the end of the screen:\n{}", self.screen());
    }

    fn types(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.presses("Enter");
    }

    fn presses(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ =
            Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").env_remove("TMUX").output();
    }
}

/// No word is torn apart: every line of the screen is a line, or the beginning of one that goes on at a blank.
#[track_caller]
fn no_word_is_torn(screen: &str, words: &[&str]) {
    for word in words {
        assert!(screen.contains(word), "«{word}» is not on the screen in one piece:\n{screen}");
    }
}

#[test]
fn the_wizard_shows_asks_and_writes_at_80_and_140_columns() {
    for columns in [80, 140] {
        let world = World::new();
        let Some(terminal) = Terminal::open(&world, columns) else { return };
        terminal.shows("$");
        terminal.types("plimsoll init");
        let screen = terminal.shows("Profile [standard] >");
        let shown = [
            "What it will do",
            ".claude/settings.json",
            ".claude/hooks/config.json",
            "What is here",
            "Claude Code",
            "What will not happen",
            "plimsoll uninstall",
            "guards",
            "standard",
            "strict",
        ];
        no_word_is_torn(&screen, &shown);
        assert!(screen.trim_end().lines().count() <= 30, "one screen:\n{screen}");
        terminal.types("nope");
        terminal.shows(
            "\"nope\" is not an answer here; type one of: guards, standard, strict\n  Profile [standard] >",
        );
        terminal.presses("Enter");
        terminal.shows("A model may fix [no] >");
        terminal.types("nope");
        terminal.shows("\"nope\" is not an answer here; type one of: yes, no\n  A model may fix [no] >");
        terminal.types("n");
        terminal.shows("Write this? yes or no >");
        terminal.presses("Enter");
        terminal.shows("  type one of: yes, no\nWrite this? yes or no >");
        assert!(!world.has(".claude"), "nothing is written before the yes");
        terminal.types("yes");
        let screen = terminal.shows("$");
        no_word_is_torn(
            &screen,
            &["done; start the agent in this project", "Two commands to try:", "plimsoll doctor"],
        );
        assert!(world.has(SETTINGS) && world.has(CONFIG));

        // Again: nothing differs, so nothing is asked twice.
        terminal.types("clear; plimsoll init");
        terminal.shows("Profile [standard] >");
        terminal.presses("Enter");
        terminal.shows("A model may fix [no] >");
        terminal.presses("Enter");
        let screen = terminal.shows("$");
        no_word_is_torn(&screen, &["everything is in place already"]);

        // And with another answer: the difference is shown.
        terminal.types("clear; plimsoll init");
        terminal.shows("Profile [standard] >");
        terminal.types("strict");
        terminal.shows("A model may fix [no] >");
        terminal.presses("Enter");
        let screen = terminal.shows("Write this? yes or no >");
        no_word_is_torn(&screen, &["What changes", "+  \"profile\": \"strict\""]);
        terminal.types("n");
        terminal.shows("nothing was written\n$");
        assert!(!world.read(CONFIG).contains("\"strict\""));
    }
}

/// What is answered is what then happens: a yes starts one client for an edit that leaves a fault, a no none.
#[test]
fn the_answer_about_the_model_has_its_effect() {
    for (answer, starts) in [("yes", 1), ("no", 0)] {
        let world = World::new().with_user_config(r#"{"engine": "external"}"#).trusting_tools();
        let Some(terminal) = Terminal::open(&world, 100) else { return };
        terminal.shows("$");
        terminal.types("plimsoll init");
        terminal.shows("Profile [standard] >");
        terminal.presses("Enter");
        terminal.shows("A model may fix [no] >");
        terminal.types(answer);
        terminal.shows("Write this? yes or no >");
        terminal.types("yes");
        terminal.shows("$");
        assert_eq!(world.read(CONFIG).contains("subprocess_delegation\": true"), answer == "yes");
        let found = r#"[{"code": "F821", "filename": "new.py", "location": {"row": 1, "column": 1}, "message": "m"}]"#;
        let ruff = format!("case \"$*\" in *output-format*) echo '{found}'; exit 1;; *) cat;; esac");
        program(&world.path(".venv/bin/ruff"), &ruff);
        program(&world.home().join(".local/bin/claude"), "echo x >> \"$HOME/calls\"");
        world.write("new.py", "a = b\n");
        let ran = world.event(
            "PostToolUse",
            &serde_json::json!({
                "tool_name": "Write",
                "tool_input": {"file_path": world.name("new.py"), "content": "a = b\n"},
                "tool_response": {"type": "create", "filePath": world.name("new.py"), "originalFile": null},
            }),
        );
        let calls = std::fs::read_to_string(world.home().join("calls")).unwrap_or_default();
        assert_eq!(calls.lines().count(), starts, "{answer}: {ran:?}");
    }
}

#[test]
fn ending_the_input_or_the_program_is_a_no_at_every_question() {
    let answers: [&[(&str, &str)]; 3] = [
        &[],
        &[("Profile [standard] >", "guards")],
        &[("Profile [standard] >", "strict"), ("A model may fix [no] >", "yes")],
    ];
    for (number, answers) in answers.iter().enumerate() {
        for key in ["C-d", "C-c"] {
            let world = World::new();
            let before = world.snapshot();
            let Some(terminal) = Terminal::open(&world, 80) else { return };
            terminal.shows("$");
            terminal.types("plimsoll init");
            for (question, answer) in *answers {
                terminal.shows(question);
                terminal.types(answer);
            }
            terminal.shows(if answers.is_empty() {
                "Profile [standard] >"
            } else {
                "Write this? yes or no >"
            });
            terminal.presses(key);
            terminal.shows("\n$");
            terminal.types("echo \"code $?\"");
            let screen = terminal.shows("\n$");
            assert!(!screen.contains("code 0"), "{number} {key}:\n{screen}");
            assert_eq!(world.snapshot(), before, "{number} {key}:\n{screen}");
        }
    }
}

#[test]
fn the_agents_that_are_found_are_asked_for() {
    let world = World::new();
    std::fs::create_dir_all(world.home().join(".codex")).unwrap();
    let Some(terminal) = Terminal::open(&world, 80) else { return };
    terminal.shows("$");
    terminal.types("plimsoll init");
    terminal.shows("Profile [standard] >");
    terminal.types("GUARDS");
    terminal.shows("Agents [claude] >");
    terminal.types("cursr");
    terminal.shows("\"cursr\" is not an answer here; type one of: claude, codex, all\n  Agents [claude] >");
    terminal.types("claude, codex");
    terminal.shows("Write this? yes or no >");
    terminal.types("y");
    let screen = terminal.shows("$");
    no_word_is_torn(&screen, &["Codex: registered", "done; start the agent"]);
    assert!(world.has(SETTINGS));
    assert!(world.read(CONFIG).contains("\"profile\": \"guards\""));
}

/// Trust in the project's own tools is a word of its own.
#[test]
fn the_projects_own_tools_are_listed_and_trusted_only_by_that_word() {
    for (answer, trusted) in [("yes", false), ("trust", true)] {
        let world = World::new().with("a.js", "let x = 1\n").with(".eslintrc.json", "{}\n");
        program(&world.path("node_modules/.bin/eslint"), "exit 0");
        let Some(terminal) = Terminal::open(&world, 80) else { return };
        terminal.shows("$");
        terminal.types("plimsoll init");
        terminal.shows("Profile [standard] >");
        terminal.presses("Enter");
        terminal.shows("A model may fix [no] >");
        terminal.presses("Enter");
        let screen = terminal.shows("or trust (yes, and those tools may run) >");
        no_word_is_torn(&screen, &["node_modules/.bin/eslint"]);
        terminal.types(answer);
        terminal.shows("$");
        let shown = world.run(&["trust", "show"]).succeeds().stdout;
        assert_eq!(shown.contains("may run"), trusted, "{answer}: {shown}");
    }
}

#[test]
fn comments_in_the_settings_are_offered_to_be_taken_out_first() {
    let theirs = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
    for (answer, plain) in [("y", true), ("n", false)] {
        let world = World::new().with(SETTINGS, theirs);
        let Some(terminal) = Terminal::open(&world, 80) else { return };
        terminal.shows("$");
        terminal.types("plimsoll init");
        terminal.shows("Take them out? A copy of the file is kept. yes or no >");
        terminal.types(answer);
        terminal.shows("Profile [standard] >");
        terminal.types("guards");
        terminal.shows("Write this? yes or no >");
        terminal.types("y");
        let screen = terminal.shows("\n$");
        assert_eq!(screen.contains("done; start"), plain, "{screen}");
        assert_eq!(screen.contains("not active"), !plain, "{screen}");
        assert_eq!(world.read(SETTINGS).contains("// mine"), !plain);
    }
}

#[test]
fn what_is_long_is_broken_between_words() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    for columns in [80, 140] {
        let Some(terminal) = Terminal::open(&world, columns) else { return };
        terminal.shows("$");
        for line in [
            "plimsoll doctor",
            "plimsoll status",
            "plimsoll",
            "plimsoll explain 'git push --force origin main'",
        ] {
            terminal.types(&format!("clear; {line}"));
            let screen = terminal.shows("\n$");
            // A line that is as wide as the screen was broken by the terminal, not by us.
            let torn = screen.lines().find(|line| line.chars().count() >= columns && line.contains(' '));
            assert_eq!(torn, None, "{line} at {columns}:\n{screen}");
        }
    }
}

#[test]
fn a_session_is_played_one_screen_at_a_time() {
    let world = World::new();
    let Some(terminal) = Terminal::open(&world, 80) else { return };
    terminal.shows("$");
    terminal.types("plimsoll try");
    let first = terminal.shows("Enter: the next screen");
    assert!(first.contains("rm -rf") && !first.contains("switch off the hooks"), "{first}");
    terminal.presses("Enter");
    terminal.shows("Enter: the next screen");
    terminal.presses("Enter");
    let last = terminal.shows("$");
    assert!(last.contains("That is all."), "{last}");
}

/// The usual window has 24 lines: nothing is pushed off it before it could be read.
#[test]
fn a_small_screen_gets_no_more_than_it_holds() {
    const ROWS: usize = 24;
    const GO_ON: &str = "Enter: the next screen";
    let world = World::new();
    let Some(terminal) = Terminal::sized(&world, 80, ROWS) else { return };
    terminal.shows("$");
    terminal.types("plimsoll try");
    let mut pages = 0;
    // The last page ends in the log, which may be longer.
    loop {
        pages += 1;
        let screen = terminal.shows(GO_ON);
        let page = screen.trim_end().rsplit(GO_ON).nth(1).unwrap();
        assert!(page.trim().lines().count() <= ROWS, "{page}");
        if page.contains("wants to finish") {
            break;
        }
        terminal.presses("Enter");
        // Until the next page is there.
        for _ in 0..LOOKS {
            if terminal.screen().matches(GO_ON).count() > pages {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    assert!(pages > 3, "{pages}");
    terminal.presses("Enter");
    terminal.shows("$");
}

#[test]
fn who_says_yes_where_a_word_is_wanted_is_told_and_asked_again() {
    let world = World::new();
    let Some(terminal) = Terminal::open(&world, 80) else { return };
    terminal.shows("$");
    let word = |screen: &str| {
        let (_, rest) = screen.rsplit_once("Type ").unwrap();
        rest.split_once(' ').unwrap().0.to_owned()
    };
    terminal.types("plimsoll allow 'git reset --hard HEAD~3' --once");
    terminal.shows("to go on:");
    terminal.types("y");
    let screen = terminal.shows("to go on:");
    assert!(screen.contains("A yes is the word itself"), "{screen}");
    terminal.types(&word(&screen));
    let screen = terminal.shows("\n$");
    assert!(screen.contains("allowed once"), "{screen}");
    terminal.types("clear; plimsoll allow 'git clean -fdx' --once");
    terminal.shows("to go on:");
    terminal.types("yes");
    terminal.shows("to go on:");
    terminal.types("yes");
    terminal.shows("nothing was changed\n$");
}

#[test]
fn another_agent_is_registered_later_without_a_wall_of_text() {
    let world = World::new();
    world.run(&["init", "--yes"]).succeeds();
    let Some(terminal) = Terminal::open(&world, 80) else { return };
    terminal.shows("$");
    terminal.types("plimsoll init --agent codex");
    let screen = terminal.shows("Write this? yes or no >");
    assert!(screen.contains("hooks.json (new)") && screen.trim_end().lines().count() < 10, "{screen}");
    terminal.types("yes");
    terminal.shows("\n$");
    terminal.types("clear; plimsoll uninstall");
    let screen = terminal.shows("to go on:");
    assert!(screen.contains("removed"), "{screen}");
    assert!(screen.trim_end().lines().count() < 20, "{screen}");
}
