#!/usr/bin/env python3
"""Run scenarios on clients, and say for each whether the client did what was expected.

    check.py BASE [--client NAME,...] [--scenario NAME,...] [--hook COMMAND] [--events NAME,...]
             [--times N] [--jobs N] [--json FILE]

BASE/codex, BASE/gemini ... are the folders that the clients are installed in. `yes`: as
expected; `cannot`: the client has no way to do it; `-`: it is about other clients; `NO`: something is wrong, printed below.
Exit code 0 when there is no NO. Without --hook the stand-in answers, which proves what a
client can do; with --hook, the command is what is proved.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from clients import CLIENTS  # noqa: E402
from run import brief, complaints, end_well, load_scenario, run_agent, scenario_names  # noqa: E402


def folder_of(base: Path, client: str) -> Path:
    return base / client.split("-")[0]


def has_engines(program: str) -> bool:
    """Whether a linter of JSON is built in: what an agent is told after an edit comes from it."""
    listed = subprocess.run([program, "tools", "list", "--json"], capture_output=True, text=True, check=False)
    try:
        rows = json.loads(listed.stdout)
    except ValueError:
        return True
    rows = rows if isinstance(rows, list) else rows.get("tools", [])
    return any(row.get("embedded") and "json" in row.get("languages", []) for row in rows)


def main() -> int:
    end_well()
    parser = argparse.ArgumentParser()
    parser.add_argument("base", type=Path)
    parser.add_argument("--client", default=",".join(CLIENTS))
    parser.add_argument("--scenario", default=",".join(scenario_names()))
    parser.add_argument("--hook")
    parser.add_argument("--plimsoll", help="this program registers itself and answers")
    parser.add_argument("--events", help="start,prompt,pre,post,stop,end: some of these only")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = options.scenario.split(",")
    clients = []
    for client in options.client.split(","):
        if CLIENTS[client].find(folder_of(options.base, client)):
            clients.append(client)
        else:
            print(f"{client}: not installed")

    engines = not options.plimsoll or has_engines(options.plimsoll)

    def one(task: tuple[str, str]) -> dict[str, Any]:
        client, name = task
        scenario = load_scenario(name)
        if options.events:
            scenario["events"] = options.events.split(",")
        summary = run_agent(client, str(folder_of(options.base, client)), scenario, options.hook,
                            plimsoll=options.plimsoll)
        why = CLIENTS[client].cannot.get(Path(name).stem)
        lowered = summary["scenario"].get("lowered") if why else None
        wrong = complaints(summary, lowered or summary["scenario"].get("expect") or {})
        if lowered:
            return {"client": client, "scenario": name, "word": "NO" if wrong else "lowered",
                    "why": why, "wrong": wrong, "seconds": summary["seconds"],
                    "summary": brief(summary)}
        if wrong and Path(name).stem == "edit-lint" and not engines:
            why = "this executable has no linter of JSON built in"
        word = ("cannot" if why else "NO") if wrong else "yes"
        return {"client": client, "scenario": name, "word": word, "why": why, "wrong": wrong,
                "seconds": summary["seconds"], "summary": brief(summary)}

    only = {name: load_scenario(name).get("clients") for name in names}
    tasks = [(client, name) for client in clients for name in names
             if client in (only[name] or [client]) for _ in range(options.times)]
    started = time.monotonic()
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(one, tasks):
            results.append(result)
            print(f"{len(results)}/{len(tasks)} {result['client']} {result['scenario']}: "
                  f"{result['word']}, {result['seconds']} s", file=sys.stderr, flush=True)
    width = max(map(len, names)) + 2
    print(" " * 16 + "".join(f"{Path(n).stem:{width}}" for n in names))
    for client in clients:
        cells = []
        for name in names:
            words = [r["word"] for r in results if (r["client"], r["scenario"]) == (client, name)]
            if not words:
                cells.append("-")
                continue
            same = len(set(words)) == 1
            cells.append((words[0] if same else "/".join(words)) +
                         (f" x{len(words)}" if same and len(words) > 1 else ""))
        slowest = max(r["seconds"] for r in results if r["client"] == client)
        print(f"{client:16}" + "".join(f"{c:{width}}" for c in cells) + f"{slowest:.1f} s")
    for result in results:
        if result["word"].startswith(("NO", "yes (")):
            print(f"{result['client']} {result['scenario']}: {result['word']}: "
                  f"{'; '.join(result['wrong']) or result['why']}")
            heard = {h["event"]: (h["stdout"] or h["stderr"])[:200]
                     for h in result["summary"]["hooks"]}
            print(f"    hooks: {heard or 'none was called'}")
    print(f"{len(results)} runs in {time.monotonic() - started:.0f} s")
    if options.json:
        options.json.write_text(json.dumps(results, ensure_ascii=False, indent=1), "utf-8")
    return 1 if any(r["word"] == "NO" for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
