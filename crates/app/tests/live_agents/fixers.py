#!/usr/bin/env python3
"""Other agents as fixers, in the real clients: an edit leaves a file that does not parse, Plimsoll
starts the agent that `subprocess.command` names, by that agent's own words, and the scripted model
fixes the file.

    fixers.py BASE --plimsoll PROGRAM [--client NAME,...]

The executable must have an engine for JSON. Exit code 1 where a file was not fixed.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from check import folder_of  # noqa: E402
from clients import CLIENTS, Context  # noqa: E402
from loopback import Script, Server  # noqa: E402

FIXERS = ("codex", "gemini", "copilot", "opencode")
BROKEN, WHOLE = '{\n  "one": ,\n}\n', '{\n  "one": 1\n}\n'


def run(name: str, base: Path, plimsoll: str) -> str:
    """What is wrong, or nothing."""
    client = CLIENTS[name]
    program = client.find(folder_of(base, name))
    if not program:
        return "not installed"
    work = Path(tempfile.mkdtemp(prefix=f"live-fixer-{name}-")).resolve()
    server = Server(Script([], 20))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        ctx = Context(work, server.server_address[1])
        for folder in (ctx.home, ctx.project, work / "tmp", work / "bin"):
            folder.mkdir(parents=True)
        for step in ({"edit": "a.json", "old": '  "one": ,', "new": '  "one": 1'}, None):
            turn = client.blocks(ctx, step) if step else [{"type": "text", "text": "fixed"}]
            server.script.turns.append(turn)
        _, variables = client.setup(ctx, [], {})
        # the agent by its plain name, as a user has it
        script = f"#!/bin/sh\nexec {shlex.join(program)} \"$@\"\n"
        ctx.write(work / "bin" / name, script)
        (work / "bin" / name).chmod(0o755)
        ctx.write(ctx.project / "a.json", BROKEN)
        ctx.write(ctx.home / ".claude/hooks/config.json", {
            "phases": {"subprocess_delegation": True}, "subprocess": {"command": name}})
        env = {"PATH": f"{work / 'bin'}:{os.environ['PATH']}", "HOME": str(ctx.home), "CI": "1",
               "TMPDIR": str(work / "tmp"), "LANG": "C.UTF-8", "TERM": "dumb", "SHELL": "/bin/sh",
               "HTTP_PROXY": ctx.url, "HTTPS_PROXY": ctx.url, "http_proxy": ctx.url,
               "https_proxy": ctx.url, "NO_PROXY": "127.0.0.1,localhost",
               "no_proxy": "127.0.0.1,localhost", **variables}
        subprocess.run(["git", "init", "-q"], cwd=ctx.project, env=env, check=False)
        payload: dict[str, Any] = {
            "hook_event_name": "PostToolUse", "session_id": "s", "cwd": str(ctx.project),
            "tool_name": "Write", "tool_use_id": "t",
            "tool_input": {"file_path": str(ctx.project / "a.json"), "content": BROKEN},
            "tool_response": {"type": "create", "filePath": str(ctx.project / "a.json")}}
        done = subprocess.run([plimsoll, "hook", "--deadline", "120"], cwd=ctx.project, env=env,
                              input=json.dumps(payload).encode(), capture_output=True, timeout=150,
                              check=False)
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        asked = [n for n in server.notes if n["kind"] == "main"]
        text = (ctx.project / "a.json").read_text("utf-8")
        if not asked or "a.json" not in json.dumps(asked[0]["body"]):
            return f"the model was not asked about the file: {said[-800:]}"
        try:
            fixed = json.loads(text) == {"one": 1}
        except ValueError:
            fixed = False
        if not fixed:
            views = [entry for n in asked[1:] for entry in n["view"][-2:]]
            return f"a.json is {text!r}; {views!r:.800}; {said[-400:]}"
        return ""
    finally:
        server.shutdown()
        thread.join(5)
        server.server_close()
        shutil.rmtree(work, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("base", type=Path)
    parser.add_argument("--plimsoll", required=True)
    parser.add_argument("--client", default=",".join(FIXERS))
    options = parser.parse_args()
    wrong = False
    for name in options.client.split(","):
        if name not in FIXERS:
            continue
        problem = run(name, options.base, options.plimsoll)
        wrong |= bool(problem) and problem != "not installed"
        print(f"{name:16}{problem or 'fixed the file'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
