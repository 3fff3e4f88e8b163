//! Where commands run after others, and how often.

use crate::reading::World;

/// `/p` and `/p/src` are folders.
struct Project;

impl World for Project {
    fn home(&self) -> Option<String> {
        None
    }
    fn cwd(&self) -> String {
        "/p".into()
    }
    fn read(&self, _: &str) -> Option<String> {
        None
    }
    fn var(&self, _: &str) -> Option<String> {
        None
    }
    fn is_directory(&self, path: &str) -> bool {
        matches!(path, "/p" | "/p/src")
    }
}

fn folders_of(program: &str, command: &str) -> Vec<String> {
    let reading = crate::read(command, &Project);
    let calls = reading.calls.into_iter().filter(|call| call.program() == program);
    calls.map(|call| call.cwd.to_string()).collect()
}

#[test]
fn a_folder_that_is_not_there_is_not_where_the_next_command_runs() {
    assert_eq!(folders_of("ls", "pytest && cd nowhere; ls"), ["/p"]);
    assert_eq!(folders_of("ls", "pytest && cd src; ls"), ["/p/src", "/p"]);
    // What would run there is looked at there.
    assert_eq!(folders_of("ls", "pytest && cd nowhere && ls"), ["/p/nowhere"]);
}

#[test]
fn a_folder_that_the_command_may_have_made_counts() {
    for maker in ["mkdir build", "git clone https://example.org/build", "./make-it", "tar xf a.tar"] {
        let command = format!("{maker} && cd build; ls");
        assert!(folders_of("ls", &command).contains(&"/p/build".to_owned()), "{command}");
    }
}

#[test]
fn a_long_list_is_not_walked_for_every_combination() {
    let command = "pytest && cd src && ls; ".repeat(40);
    // From the project, and from the folder in it; not from one below that for each time.
    assert_eq!(folders_of("ls", &command).len(), 2 * 40 - 1);
}
