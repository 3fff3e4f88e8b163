#!/usr/bin/env python3
"""Record what the real client sends, as case files of the `agents` crate.

    record.py --claude CLIENT [--into crates/agents/cases/claude_code/recorded]

Each event (and each tool of a tool event) becomes one file, the first of its kind. Paths and ids
are replaced by fixed ones, so that a second recording shows only what the client changed.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from live import run_live

EVENTS = ["Setup", "SessionStart", "InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse",
          "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "SubagentStart",
          "SubagentStop", "Stop", "CwdChanged", "MessageDisplay", "PreCompact", "PostCompact", "SessionEnd"]

NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [],
                                  "execution_count": None, "source": "x = 1"}],
                       "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def call(name: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "name": name, "input": arguments}]


SCENARIOS: list[dict[str, Any]] = [
    {
        "prompt": "go",
        "args": ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"],
        "files": {"a.py": "x = 1\n", "n.ipynb": NOTEBOOK, "CLAUDE.md": "Be brief.\n", "sub/b.txt": "b\n"},
        "turns": [
            call("Read", file_path="@PROJECT@/a.py"),
            call("Edit", file_path="@PROJECT@/a.py", old_string="1", new_string="2"),
            call("Write", file_path="@PROJECT@/new.py", content="y = 1\n"),
            call("Bash", command="echo hi", description="say hi"),
            call("Bash", command="exit 3", description="fail"),
            call("Bash", command="cd sub", description="go down"),
            call("Bash", command="cd ..", description="go up"),
            call("ToolSearch", query="select:NotebookEdit"),
            call("Read", file_path="@PROJECT@/n.ipynb"),
            call("NotebookEdit", notebook_path="@PROJECT@/n.ipynb", cell_id="c1", new_source="x = 2"),
            call("Agent", description="look", prompt="look around", subagent_type="general-purpose"),
            [{"type": "text", "text": "Done."}],
        ],
        "subagent_turns": [[{"type": "text", "text": "Looked."}]],
    },
    {   # Nobody allows the write, so the client asks.
        "prompt": "go",
        "args": ["--init"],
        "files": {},
        "turns": [call("Write", file_path="@PROJECT@/q.py", content="1\n"), [{"type": "text", "text": "No."}]],
    },
    {
        "prompt": "/foo bar",
        "args": [],
        "files": {".claude/commands/foo.md": "Say $ARGUMENTS\n"},
        "turns": [[{"type": "text", "text": "bar"}], [{"type": "text", "text": "bar again"}]],
        "then": ["and again", "/compact keep short"],
    },
]


def plain(text: str, project: str) -> str:
    """Fixed names for what differs from run to run."""
    work = str(Path(project).parent)
    text = text.replace(work.replace("/", "-"), "-home-user").replace(work, "/home/user")
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
                  "00000000-0000-0000-0000-000000000000", text)
    text = re.sub(r"toolu_\w+", "toolu_01", text)
    text = re.sub(r"(?<![0-9a-z])a[0-9a-f]{16}(?![0-9a-z])", "a01", text)
    return re.sub(r'("(?:duration_ms|seconds_since_last_response|totalDurationMs|totalTokens)": )\d+', r"\g<1>8",
                  text)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--claude", required=True)
    parser.add_argument("--into", default="crates/agents/cases/claude_code/recorded")
    options = parser.parse_args()
    into = Path(options.into)
    seen: set[str] = set()
    for scenario in SCENARIOS:
        summary = run_live({**scenario, "probe": EVENTS}, claude=options.claude)
        for hook in summary["hooks"]:
            payload = hook["input"]
            parts = [payload["hook_event_name"], payload.get("tool_name"), payload.get("source")]
            name = "-".join(part for part in parts if part)
            if payload.get("tool_name") == "ToolSearch" or name in seen:
                continue
            seen.add(name)
            text = plain(json.dumps(payload, indent=2, ensure_ascii=False), summary["project"])
            (into / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(seen)} payloads in {into}: {', '.join(sorted(seen))}")


if __name__ == "__main__":
    main()
