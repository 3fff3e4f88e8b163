//! Bridges whose hook fails.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::text;
use crate::needs;
use crate::world::{PROGRAM, Ran, World, write};

/// A hook that fails in one of the ways that there are.
fn failing(world: &World, how: &str) -> PathBuf {
    let place = world.base().join(format!("tmp/{how}"));
    let script = match how {
        "missing" => return world.base().join("tmp/there-is-none"),
        "killed" => "#!/bin/sh\nkill -9 $$\n",
        "garbage" => "#!/bin/sh\necho oops\n",
        "slow" => "#!/bin/sh\nexec sleep 20\n",
        _ => "#!/bin/sh\nexit 101\n",
    };
    crate::world::program(&place, script);
    place
}

const HOWS: &[&str] = &["missing", "killed", "garbage", "slow", "panic"];

fn bridge(world: &World, agent: &str, file: &str, program: &Path) -> PathBuf {
    world.run(&["init", "--agent", agent, "--yes"]).succeeds();
    let place = world.home().join(file);
    let code = text(&place)
        .replace(PROGRAM, &program.to_string_lossy())
        .replace("\"tool.execute.before\": 30", "\"tool.execute.before\": 1")
        .replace("tool_call: 30", "tool_call: 1");
    // Node takes a file for a module by its name.
    let name = if file.ends_with(".ts") { "bridge.mts" } else { "bridge.mjs" };
    let copy = world.base().join("tmp").join(name);
    write(&copy, &code);
    copy
}

fn node(world: &World, script: &str) -> Ran {
    let mut command = Command::new("node");
    command.args(["--input-type=module", "-e", script]).current_dir(world.path(""));
    command.env("HOME", world.home());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::of(command, b"")
}

fn has_node() -> bool {
    let there = Command::new("node").arg("--version").output().is_ok_and(|done| done.status.success());
    if !there {
        needs::missing("node", "node is not on PATH");
    }
    there
}

#[test]
fn a_bridge_whose_hook_fails_refuses_the_call_and_says_how_to_go_on() {
    if !has_node() {
        return;
    }
    for how in HOWS {
        let world = World::new();
        let program = failing(&world, how);
        let file = bridge(&world, "opencode", ".config/opencode/plugins/plimsoll.js", &program);
        let script = format!(
            "const {{Plimsoll}} = await import('{}'); const hooks = await Plimsoll({{directory: '.'}}); \
             try {{ await hooks['tool.execute.before']({{sessionID: 's', callID: 'c', tool: 'bash'}}, {{args: {{command: 'ls'}}}}); \
             console.log('RAN') }} catch (error) {{ console.log('REFUSED ' + error.message) }} \
             const output = {{output: 'x'}}; await hooks['tool.execute.after']({{sessionID: 's', callID: 'c', tool: 'bash', args: {{}}}}, output) ; \
             process.exit(0)",
            file.display()
        );
        // After a call there is nothing to guard, so there a slow hook would only be waited for.
        let script = if *how == "slow" {
            script.replace("await hooks['tool.execute.after']", "void hooks['tool.execute.after']")
        } else {
            script
        };
        let said = node(&world, &script);
        assert!(said.stdout.contains("REFUSED Plimsoll could not judge this call"), "{how}: {said:?}");
        assert!(said.stdout.contains("plimsoll doctor"), "{how}: {said:?}");
    }
}

#[test]
fn the_bridge_of_cline_refuses_too() {
    if !has_node() {
        return;
    }
    for how in HOWS {
        let world = World::new();
        let program = failing(&world, how);
        let file = bridge(&world, "cline", ".cline/plugins/plimsoll.js", &program);
        let script = format!(
            "const plugin = (await import('{}')).default; \
             const said = await plugin.hooks.beforeTool({{snapshot: {{conversationId: 's'}}, toolCall: {{toolCallId: 'c', toolName: 'run_commands'}}, \
             input: {{commands: ['ls']}}}}); console.log(JSON.stringify(said ?? 'RAN')); process.exit(0)",
            file.display()
        );
        let said = node(&world, &script);
        assert!(
            said.stdout.contains("\"skip\":true") && said.stdout.contains("plimsoll doctor"),
            "{how}: {said:?}"
        );
    }
}

#[test]
fn a_bridge_does_what_the_hook_answers() {
    if !has_node() {
        return;
    }
    let world = World::new();
    let file = bridge(&world, "opencode", ".config/opencode/plugins/plimsoll.js", Path::new(PROGRAM));
    let script = format!(
        "const {{Plimsoll}} = await import('{}'); const hooks = await Plimsoll({{directory: process.cwd()}}); \
         const call = async (command) => {{ try {{ const output = {{args: {{command}}}}; \
         await hooks['tool.execute.before']({{sessionID: 's', callID: 'c', tool: 'bash'}}, output); console.log('RAN ' + output.args.command) }} \
         catch (error) {{ console.log('REFUSED ' + error.message) }} }}; \
         await call('ls'); await call('git reset --hard'); await call('git push --force origin feature'); process.exit(0)",
        file.display()
    );
    // Slower than in a client: three processes of a debug build.
    let script = script.replace("\"tool.execute.before\": 1", "\"tool.execute.before\": 30");
    let said = node(&world, &script);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.contains(&"RAN ls"), "{said:?}");
    assert!(said.stdout.contains("REFUSED This would throw away every uncommitted change"), "{said:?}");
    assert!(said.stdout.contains("RAN git push --force-with-lease origin feature"), "{said:?}");
}
