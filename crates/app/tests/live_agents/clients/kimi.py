"""Kimi Code: Chat Completions, [[hooks]] in config.toml. Needs Node 22.19 or later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .base import Answer, Client, Context, Hook, Verdict, exit_two, first, node, tool


class Kimi(Client):
    events = {"start": "SessionStart", "prompt": "UserPromptSubmit", "pre": "PreToolUse",
              "post": "PostToolUse", "stop": "Stop", "end": "SessionEnd"}
    more_events = ("PostToolUseFailure", "Notification", "SubagentStart", "SubagentStop",
                   "PreCompact")
    cannot = {"shell-rewrite": "no form of answer changes the input",
              "edit-lint": "as edit-feedback",
              "edit-feedback": "PostToolUse is not waited for, its answer is dropped",
              "start-context": "the answer to SessionStart is dropped"}

    @staticmethod
    def find(folder: Path) -> list[str] | None:
        return node(first(folder, ".bin/kimi"))

    @classmethod
    def setup(cls, ctx: Context, hooks: list[Hook], options: dict[str, Any]) -> Any:
        text = f'''
default_model = "fake"
telemetry = false
[providers.fake]
type = "openai"
base_url = "{ctx.url}/v1"
api_key = "fake"
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 100000
capabilities = ["tool_use"]
''' + options.get("toml", "")
        for hook in hooks:
            text += f'[[hooks]]\nevent = "{hook.event}"\ncommand = {json.dumps(hook.command)}\n'
            if hook.matcher is not None:
                text += f"matcher = {json.dumps(hook.matcher)}\n"
            if hook.timeout is not None:
                text += f"timeout = {round(hook.timeout)}\n"
        ctx.write(ctx.home / ".kimi-code/config.toml", text)
        return ["-p", options.get("prompt", "please go"), "--output-format", "stream-json"], {}

    @staticmethod
    def blocks(ctx: Context, step: dict[str, Any]) -> list[dict[str, Any]]:
        if "shell" in step:
            return [tool("Bash", command=step["shell"], description="scripted")]
        if "write" in step:
            return [tool("Write", path=str(ctx.project / step["write"]),
                         content=step["content"])]
        return [tool("Edit", path=str(ctx.project / step["edit"]), old_string=step["old"],
                     new_string=step["new"])]

    @classmethod
    def answer(cls, event: str, given: Any, verdict: Verdict) -> Answer | None:
        if verdict.say == "deny" and event == "PreToolUse":
            return exit_two(verdict.text)
        if verdict.say == "hold" and event == "Stop":
            return exit_two(verdict.text)
        if verdict.say == "context" and event == "UserPromptSubmit":
            return Answer(stdout=verdict.text)  # as it is: JSON would be shown to the model
        return None
