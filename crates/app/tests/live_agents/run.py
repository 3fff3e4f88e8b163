#!/usr/bin/env python3
"""Run a real agent client against the scripted fake server, offline, and report.

    run.py CLIENT --dir FOLDER [--hook COMMAND] [--events pre,post] [--scenario NAME_OR_FILE]
           [--full] [--keep]
    run.py --list

--hook: the command line that is registered on the client's events. `{event}` and `{client}`
in it stand for the event's native name and the client's name. Without it, the stand-in of
the scenario answers (standin.py).

A scenario (JSON object; every key is optional):

    "steps":    [{"shell": cmd} | {"write": path, "content": text} |
                 {"edit": path, "old": line, "new": line} | {"text": text} |
                 {"raw": [wire block, ...]}]     one turn of the model each
    "standin":  what the stand-in says, see standin.py
    "hooks":    [{"event", "matcher", "args", "command", "timeout", "extra"}] registers just
                 these; "args" are for probe.py, "command" is registered as it is; "@pre",
                 "@post", "@stop" ... name the client's own events
    "events":   of start, prompt, pre, post, stop, end, those that the hook is registered on
                 (all six); "all" for every event that the client has
    "expect":   {"files": {path: text or null}, "model_reads": regex,
                 "first_request_has": regex}, for check.py
    "files":    {relative path: text} in the project;  "home_files": the same in HOME
    "clients":  only these;  "options_for": {client: options}
    "options":  for the client: prompt, approval, scope ("project", "user"), settings ...
    "env":      further variables;  "args": further arguments for the client
    "before":   [[argument, ...], ...] for the client, run first (to install a plugin)
    "timeout":  seconds for the run (300);  "requests": the model's most answers (60)

Placeholders in strings: @PROJECT@ @HOME@ @WORK@ @PORT@ @PLIMSOLL@.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from clients import CLIENTS, Client, Context  # noqa: E402
from clients.base import Hook  # noqa: E402
from loopback import Script, Server  # noqa: E402

MARK = "LIVE_AGENTS_RUN"
RUNNING: set[subprocess.Popen[Any]] = set()


class ClientMissing(RuntimeError):
    """The client is not installed; a test should be skipped."""


def fill(value: Any, table: dict[str, str]) -> Any:
    if isinstance(value, str):
        for key, text in table.items():
            value = value.replace(key, text)
        return value
    if isinstance(value, list):
        return [fill(item, table) for item in value]
    if isinstance(value, dict):
        return {fill(k, table): fill(v, table) for k, v in value.items()}
    return value


def load_scenario(name: str) -> dict[str, Any]:
    path = Path(name)
    if not path.suffix:
        path = HERE / "scenarios" / f"{name}.json"
    return json.loads(path.read_text("utf-8"))


def scenario_names() -> list[str]:
    return sorted(path.stem for path in (HERE / "scenarios").glob("*.json"))


def end_run(process: subprocess.Popen[Any], work: Path) -> list[str]:
    """Ends the client, and whatever it left in sessions of its own (Cline has a daemon).

    The latter are found by this run's variables or folder in /proc, so on Linux only."""
    if process.poll() is None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(timeout=3)
                break
            except subprocess.TimeoutExpired:
                continue
            except (ProcessLookupError, PermissionError):
                break
    else:  # some clients do not wait for their last hooks
        patience = time.monotonic() + 2
        while time.monotonic() < patience and any(
                b"probe.py" in command_of(pid) for pid, _ in processes_of(work)):
            time.sleep(0.1)
    ended: list[str] = []
    for _ in range(5):
        found = list(processes_of(work))
        if not found:
            break
        for pid, name in found:
            try:
                os.kill(pid, signal.SIGKILL)
                ended.append(name)
            except OSError:
                pass
        time.sleep(0.1)
    return ended


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def processes_of(work: Path) -> Any:
    marks = {f"{MARK}={work}".encode(), f"HOME={work / 'home'}".encode()}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if int(entry.name) == os.getpid():
                continue
            mine = not marks.isdisjoint((entry / "environ").read_bytes().split(b"\0"))
            if mine or Path(os.readlink(entry / "cwd")).is_relative_to(work):
                if (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    yield int(entry.name), (entry / "comm").read_text().strip()
        except (OSError, ValueError, IndexError):
            continue


def new_entries(notes: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """For each request that offers tools: the entries that were not in the one before."""
    result, before = [], []
    for note in notes:
        if note["kind"] != "main":
            continue
        keys = [json.dumps(entry, sort_keys=True) for entry in note["view"]]
        same = 0
        while same < min(len(keys), len(before)) and keys[same] == before[same]:
            same += 1
        result.append(note["view"][same:])
        before = keys
    return result


def registrations(name: str, client: type[Client], scenario: dict[str, Any],
                  hook: str | None, log: Path) -> list[Hook]:
    probe = [sys.executable, str(HERE / "probe.py"), "--log", str(log)]
    if "hooks" in scenario:
        result = []
        for entry in scenario["hooks"]:
            event = entry["event"]
            event = client.events[event[1:]] if event.startswith("@") else event
            command = entry.get("command") or shlex.join(
                [*probe, "--event", event, *entry.get("args", [])])
            result.append(Hook(event, command, entry.get("matcher"), entry.get("timeout"),
                               entry.get("extra", {})))
        return result
    if scenario.get("events") == "all":
        events = client.all_events()
    else:
        wanted = scenario.get("events") or client.events
        events = list(dict.fromkeys(client.events[n] for n in wanted if n in client.events))
    result = []
    for event in events:
        if hook:
            command = hook.replace("{event}", event).replace("{client}", name)
        elif "standin" in scenario:
            command = shlex.join([sys.executable, str(HERE / "standin.py"), name, event,
                                  json.dumps(scenario["standin"])])
        else:
            command = "true"
        result.append(Hook(event, shlex.join([*probe, "--event", event, "--run", command])))
    return result


# registered by this harness: `plimsoll init` uses the other way of the same client
BY_HAND = ("copilot-pascal", "cline")


# the events before a tool call, as their agents call them
BEFORE = ("PreToolUse|BeforeTool|preToolUse|tool_call|beforeTool|tool.execute.before|pre_tool_call")


def failing(how: str, seconds: int) -> str | None:
    """A program that fails in Plimsoll's place before a tool call; None: there is none."""
    act = {"killed": "kill -9 $$", "slow": f"exec sleep {seconds}", "garbage": "echo oops"}.get(how)
    if act is None:
        return None
    words = "|".join(f"*' {event}'*" for event in BEFORE.split("|"))
    return f"#!/bin/sh\ncase \" $*\" in {words}) {act} ;; esac\n"


def replace_by(path: Path, script: str | None) -> None:
    path.unlink()
    if script is not None:
        path.write_text(script, "utf-8")
        path.chmod(0o755)


def run_agent(name: str, folder: str, scenario: dict[str, Any], hook: str | None = None,
              keep: bool = False, plimsoll: str | None = None,
              broken: str | None = None) -> dict[str, Any]:
    """With `plimsoll` that program registers itself, by `init --agent`. With `broken` a program
    that fails in one of the ways above then takes its place."""
    client = CLIENTS[name]
    program = client.find(Path(folder))
    if not program:
        raise ClientMissing(f"{name} is not in {folder}")
    work = Path(tempfile.mkdtemp(prefix=f"live-{name}-")).resolve()
    if plimsoll and broken:
        place = work / "bin/plimsoll"
        place.parent.mkdir()
        shutil.copy(plimsoll, place)
        plimsoll = str(place)
    if plimsoll and name in BY_HAND:
        hook = f"{plimsoll} hook --agent {name.split('-')[0]}" + (" {event}" if broken else "")
    server = Server(Script([], scenario.get("requests", 60)))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        ctx = Context(work, server.server_address[1])
        for path in (ctx.home, ctx.project, work / "tmp"):
            path.mkdir(parents=True)
        scenario = fill(scenario, {
            "@PROJECT@": str(ctx.project), "@HOME@": str(ctx.home), "@WORK@": str(work),
            "@PORT@": str(ctx.port), "@PLIMSOLL@": plimsoll or "plimsoll"})
        for where, key in ((ctx.project, "files"), (ctx.home, "home_files")):
            for path, text in (scenario.get(key) or {}).items():
                ctx.write(where / path, text)
        for step in scenario.get("steps") or []:
            if "raw" in step:
                server.script.turns.append(step["raw"])
            elif "text" in step:
                server.script.turns.append([{"type": "text", "text": step["text"]}])
            else:
                server.script.turns.append(client.blocks(ctx, step))
        log = work / "hooks.jsonl"
        by_init = plimsoll is not None and not hook and "hooks" not in scenario
        hooks = [] if by_init else registrations(name, client, scenario, hook, log)
        options = (scenario.get("options_for") or {}).get(name) or scenario.get("options") or {}
        args, extra = client.setup(ctx, hooks, options)
        env = {
            "PATH": os.environ.get("PATH", os.defpath), MARK: str(work),
            "HOME": str(ctx.home), "TMPDIR": str(work / "tmp"), "LANG": "C.UTF-8",
            "TERM": "dumb", "SHELL": "/bin/sh", "CI": "1", "NO_COLOR": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            # whatever asks for another host is refused by our own server, and noted
            "HTTP_PROXY": ctx.url, "HTTPS_PROXY": ctx.url, "http_proxy": ctx.url,
            "https_proxy": ctx.url, "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost", **extra, **(scenario.get("env") or {}),
        }
        subprocess.run(["git", "init", "-q"], cwd=ctx.project, env=env, check=False)
        before = []
        if plimsoll and by_init:
            words = [plimsoll, "init", "--agent", name.split("-")[0], "--scope", "user", "--yes"]
            done = subprocess.run(words, cwd=ctx.project, env=env, stdin=subprocess.DEVNULL,
                                  timeout=60, capture_output=True, check=False)
            if done.returncode:
                raise RuntimeError((done.stdout + done.stderr).decode("utf-8", "replace"))
        if plimsoll and broken:
            # longer than any waits; the hook files of Cline have two minutes
            replace_by(Path(plimsoll), failing(broken, 140 if name == "cline" else 70))
        for words in scenario.get("before") or []:
            done = subprocess.run([*program, *words], cwd=ctx.project, env=env, timeout=60,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False)
            before.append({"args": words, "exit": done.returncode, "output": (
                done.stdout + done.stderr).decode("utf-8", "replace")[-2000:]})
        started = time.monotonic()
        with open(work / "out", "wb") as out, open(work / "err", "wb") as err:
            process = subprocess.Popen(
                [*program, *args, *(scenario.get("args") or [])], cwd=ctx.project, env=env,
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
            RUNNING.add(process)
            strays: list[str] = []
            try:
                code: int | None = process.wait(timeout=scenario.get("timeout", 300))
            except subprocess.TimeoutExpired:
                code = None
            finally:
                seconds = time.monotonic() - started
                strays = end_run(process, work)
                RUNNING.discard(process)
        records = []
        if log.exists():
            records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        notes = list(server.notes)
        return {
            "client": name, "exit_code": code, "seconds": round(seconds, 1),
            "work": str(work) if keep else None, "turns_served": server.script.served,
            "hooks": records,
            "model_new": new_entries(notes),
            "tools": next((n["tools"] for n in notes if n["kind"] == "main"), None),
            "wire": sorted({n["wire"] for n in notes if "wire" in n}),
            "aux": sum(n["kind"] == "aux" for n in notes),
            "others": sorted({n["path"] for n in notes if n["kind"] == "other"}),
            "blocked": sorted({n["path"] for n in notes if n["kind"] == "blocked"}),
            "strays": strays,
            "notes": notes,
            "stdout": (work / "out").read_text("utf-8", "replace"),
            "stderr": (work / "err").read_text("utf-8", "replace"),
            "files": {str(p.relative_to(ctx.project)): p.read_text("utf-8", "replace")
                      for p in sorted(ctx.project.rglob("*"))
                      if p.is_file() and ".git" not in p.relative_to(ctx.project).parts
                      and "node_modules" not in p.relative_to(ctx.project).parts
                      and p.stat().st_size < 20000},
            "project": str(ctx.project), "home": str(ctx.home), "variables": sorted(env),
            "before": before, "scenario": scenario,
        }
    finally:
        server.shutdown()
        thread.join(5)
        server.server_close()
        if not keep:
            shutil.rmtree(work, ignore_errors=True)


def shown(summary: dict[str, Any]) -> list[str]:
    """What the model was shown after its first turn."""
    return [entry.get("text") or "" for step in summary["model_new"][1:] for entry in step
            if entry.get("role") != "assistant"]


def complaints(summary: dict[str, Any], expect: dict[str, Any]) -> list[str]:
    """What is not as the scenario expects."""
    wrong = []
    for path, text in (expect.get("files") or {}).items():
        found = summary["files"].get(path)
        if found != text:
            wrong.append(f"{path} is {found!r}, not {text!r}")
    if "model_reads" in expect:
        if not any(re.search(expect["model_reads"], text) for text in shown(summary)):
            wrong.append(f"the model does not read {expect['model_reads']!r}")
    if "first_request_has" in expect:
        first = next((n["body"] for n in summary["notes"] if n["kind"] == "main"), None)
        if not re.search(expect["first_request_has"], json.dumps(first, ensure_ascii=False)):
            wrong.append(f"the first request lacks {expect['first_request_has']!r}")
    if summary["exit_code"] is None:
        wrong.append(f"not at an end after {summary['seconds']} s")
    return wrong


def brief(summary: dict[str, Any]) -> dict[str, Any]:
    short = {k: v for k, v in summary.items() if k not in ("notes", "scenario")}
    short["hooks"] = [{k: v for k, v in h.items() if k != "env_names"} for h in summary["hooks"]]
    short["model_new"] = summary["model_new"][1:]
    for key in ("stdout", "stderr"):
        short[key] = summary[key][-1500:]
    return short


def end_well() -> None:
    """On SIGTERM and SIGINT: end the clients, so that every run comes to its `finally`."""
    def end(number: int, _: Any) -> None:
        for process in list(RUNNING):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                pass
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def main() -> int:
    end_well()
    parser = argparse.ArgumentParser()
    parser.add_argument("client", nargs="?", choices=sorted(CLIENTS))
    parser.add_argument("--dir", default=".", help="where the client is installed")
    parser.add_argument("--hook", help="a command line, instead of the stand-in")
    parser.add_argument("--scenario", help="one of scenarios/, or a file")
    parser.add_argument("--events", help="start,prompt,pre,post,stop,end: some of these only")
    parser.add_argument("--list", action="store_true", help="clients and scenarios")
    parser.add_argument("--full", action="store_true", help="with every request")
    parser.add_argument("--keep", action="store_true", help="leave the folder of the run")
    options = parser.parse_args()
    if options.list or not options.client:
        print("clients:  ", *CLIENTS)
        print("scenarios:", *scenario_names())
        return 0
    scenario: dict[str, Any] = {
        "files": {"a.txt": "one\n"},
        "steps": [{"shell": "echo hi > made.txt"},
                  {"write": "new.txt", "content": "fresh\n"},
                  {"edit": "a.txt", "old": "one", "new": "two"},
                  {"text": "finished"}],
    }
    if options.scenario:
        scenario = load_scenario(options.scenario)
    if options.events:
        scenario["events"] = options.events.split(",")
    try:
        summary = run_agent(options.client, options.dir, scenario, options.hook, options.keep)
    except ClientMissing as problem:
        print(problem, file=sys.stderr)
        return 3
    summary["complaints"] = complaints(summary, scenario.get("expect") or {})
    json.dump(summary if options.full else brief(summary), sys.stdout, indent=1,
              ensure_ascii=False)
    print()
    return 1 if summary["complaints"] or summary["exit_code"] != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
