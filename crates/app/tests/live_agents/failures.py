#!/usr/bin/env python3
"""What becomes of a tool call when the hook before it fails, in the real clients, and whether the
reference says so.

    failures.py BASE --plimsoll PROGRAM [--client NAME,...] [--how NAME,...] [--jobs N]

Plimsoll registers itself; then a program that is killed, that takes too long, that prints what is
no answer, or none at all takes its place, and the model asks for a command. The table of
docs/reference/agents.md is what is expected. Exit code 1 where a client does something else.
"""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from check import folder_of  # noqa: E402
from clients import CLIENTS  # noqa: E402
from run import end_well, run_agent, shown  # noqa: E402

REFERENCE = HERE.parents[3] / "docs/reference/agents.md"
# as in the reference
NAMES = {"codex": "Codex", "gemini": "Gemini CLI", "qwen": "Qwen Code", "copilot": "Copilot CLI",
         "copilot-pascal": "Copilot CLI (PascalCase)", "kimi": "Kimi Code",
         "droid": "Factory Droid", "cline": "Cline (hook file)", "cline-plugin": "Cline (plugin)",
         "opencode": "OpenCode", "kilo": "Kilo", "pi": "Pi", "hermes": "Hermes",
         "grok": "Grok Build"}
COLUMNS = ("killed", "slow", "missing", "garbage")
SCENARIO: dict[str, Any] = {"steps": [{"shell": "echo ran > made.txt"}, {"text": "finished"}],
                            "timeout": 240}


def expected() -> dict[str, dict[str, str]]:
    table = REFERENCE.read_text("utf-8").split("## When the hook itself fails")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in table.splitlines() if line.startswith("| ")]
    return {row[0]: dict(zip(COLUMNS, row[1:])) for row in rows[1:] if not row[0].startswith("-")}


def main() -> int:
    end_well()
    parser = argparse.ArgumentParser()
    parser.add_argument("base", type=Path)
    parser.add_argument("--plimsoll", required=True)
    parser.add_argument("--client", default=",".join(NAMES))
    parser.add_argument("--how", default=",".join(COLUMNS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    clients = [c for c in options.client.split(",") if CLIENTS[c].find(folder_of(options.base, c))]
    table = expected()

    def one(task: tuple[str, str]) -> tuple[str, str, str, str]:
        client, how = task
        summary = run_agent(client, str(folder_of(options.base, client)), dict(SCENARIO),
                            plimsoll=options.plimsoll, broken=how)
        fate = "runs" if "made.txt" in summary["files"] else "denied"
        if not summary["model_new"][1:]:
            fate = "ends the run"
        why = " ".join(shown(summary))
        told = "told why" if re.search("could not judge", why) else "not told why"
        print(f"{client} {how}: {fate}, {told}, {summary['seconds']} s", file=sys.stderr, flush=True)
        return client, how, fate, told if fate == "denied" else ""

    hows = options.how.split(",")
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(one, [(client, how) for client in clients for how in hows]))
    wrong = []
    print(" " * 16 + "".join(f"{how:24}" for how in hows))
    for client in clients:
        cells = []
        for name, how, fate, told in results:
            if name == client:
                cells.append(f"{fate}{', ' + told if told else ''}")
                if fate != table[NAMES[client]][how]:
                    wrong.append(f"{client} {how}: {fate}, and the reference says "
                                 f"{table[NAMES[client]][how]}")
        print(f"{client:16}" + "".join(f"{cell:24}" for cell in cells))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
