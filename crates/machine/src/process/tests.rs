//! Programs that end, print much, or never end.

use super::*;

const LONG: Duration = Duration::from_mins(1);

#[test]
fn output_and_code_come_back() {
    let done =
        run_with("sh", &["-c", "cat; echo no >&2; exit 3"], Path::new("/"), &[], b"yes", LONG).unwrap();
    assert_eq!((done.code, done.stdout, done.stderr), (Some(3), b"yes".to_vec(), b"no\n".to_vec()));
}

#[test]
fn a_server_is_asked_before_its_input_ends() {
    let script = "read line; sleep 0.1; echo \"answer to $line\"; cat; echo end";
    let done = Program::new("sh").args(["-c", script]).stdin(b"one\n").until("answer").within(LONG).run();
    assert_eq!(done.unwrap().stdout, b"answer to one\nend\n");
}

#[test]
fn a_missing_program_and_a_slow_one_are_named() {
    let missing = run("no-such-program", &[], Path::new("/"), LONG).unwrap_err();
    assert_eq!(missing.to_string(), "no-such-program is not installed");
    let slow =
        run("sh", &["-c", "sleep 60 & sleep 60"], Path::new("/"), Duration::from_millis(20)).unwrap_err();
    assert_eq!(slow.kind(), io::ErrorKind::TimedOut);
}

#[test]
fn of_too_much_output_the_beginning_is_kept() {
    let done = Program::new("sh")
        .args(["-c", "echo first; head -c 100000000 /dev/zero; echo end >&2"])
        .keeping(1000)
        .run()
        .unwrap();
    assert!(done.cut);
    assert_eq!((done.stdout.len(), &done.stdout[..6]), (1000, &b"first\n"[..]));
    assert_eq!(done.stderr, b"end\n");
}

#[test]
fn of_too_much_output_the_end_is_kept_where_that_is_wanted() {
    let done = Program::new("sh")
        .args(["-c", "head -c 10000000 /dev/zero; echo; echo last"])
        .keeping_end(1000)
        .run()
        .unwrap();
    assert!(done.cut);
    assert_eq!((done.stdout.len(), &done.stdout[994..]), (1000, &b"\nlast\n"[..]));
    let short = Program::new("echo").arg("x").keeping_end(1000).run().unwrap();
    assert_eq!((short.stdout, short.cut), (b"x\n".to_vec(), false));
}

#[test]
fn what_was_printed_before_the_end_of_its_time_comes_with_the_error() {
    let dir = tempfile::tempdir().unwrap();
    // It is ended when it has printed, whenever that is.
    let printed = dir.path().join("printed");
    let script = format!("echo begun; echo bad >&2; : > '{}'; sleep 60", printed.display());
    let ended = Program::new("sh")
        .args(["-c", &script])
        .unless(move || printed.exists())
        .within(LONG)
        .run()
        .unwrap_err();
    let stopped = Stopped::of(&ended).unwrap();
    assert_eq!((&stopped.stdout[..], &stopped.stderr[..]), (&b"begun\n"[..], &b"bad\n"[..]));
    assert_eq!(ended.to_string(), "sh was ended");
}

#[test]
fn what_stays_behind_is_ended_and_not_awaited() {
    let dir = tempfile::tempdir().unwrap();
    let script = "sleep 60 & echo $! > pid; echo done";
    let done = Program::new("sh").args(["-c", script]).cwd(dir.path()).within(LONG).run().unwrap();
    assert_eq!((done.code, done.stdout), (Some(0), b"done\n".to_vec()));
    let pid = std::fs::read_to_string(dir.path().join("pid")).unwrap();
    let alive = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    // Killed, it is either gone or waiting for somebody to take note of it.
    while alive().is_ok_and(|stat| !stat.contains(") Z ")) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_nobody_wants_any_more_is_ended() {
    let asked = std::cell::Cell::new(0);
    let unwanted = move || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let ended = Program::new("sh").args(["-c", "sleep 60 & sleep 60"]).unless(unwanted).run().unwrap_err();
    assert_eq!(ended.kind(), io::ErrorKind::Interrupted);
}

#[test]
fn what_nobody_waits_for_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let script = "sleep 60 & echo $! > pid.new; mv pid.new pid; sleep 60";
    let running = Program::new("sh").args(["-c", script]).cwd(dir.path()).start().unwrap();
    let pid = loop {
        if let Ok(pid) = std::fs::read_to_string(dir.path().join("pid")) {
            break pid;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    drop(running);
    let alive = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    while alive().is_ok_and(|stat| !stat.contains(") Z ")) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_ended_in_time_counts_though_it_is_asked_late() {
    let script = "echo yes; echo no >&2; exit 3";
    let mut running = Program::new("sh").args(["-c", script]).within(LONG).start().unwrap();
    while running.child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.end = Instant::now();
    let done = running.finish().unwrap();
    assert_eq!((done.code, done.stdout, done.stderr), (Some(3), b"yes\n".to_vec(), b"no\n".to_vec()));
}

#[test]
fn two_that_run_side_by_side_both_say_all() {
    let script = "head -c 300000 /dev/zero; echo end >&2";
    let start = || Program::new("sh").args(["-c", script]).within(LONG).start().unwrap();
    let (first, second) = (start(), start());
    for running in [second, first] {
        let done = running.finish().unwrap();
        assert_eq!((done.code, done.stdout.len(), done.stderr), (Some(0), 300_000, b"end\n".to_vec()));
    }
}

#[test]
fn a_large_input_and_a_large_output_do_not_block_each_other() {
    let input = vec![b'x'; 4_000_000];
    let done = Program::new("cat").stdin(&input).within(LONG).run().unwrap();
    assert_eq!(done.stdout.len(), input.len());
}
