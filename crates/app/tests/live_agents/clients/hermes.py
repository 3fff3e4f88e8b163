"""Hermes (from PyPI; its folder is the virtual environment): Chat Completions. Plimsoll is a plugin
there; by hand, command hooks in config.yaml are registered, which run without a shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .base import Answer, Client, Context, Hook, Verdict, json_answer, tool


class Hermes(Client):
    events = {"start": "on_session_start", "prompt": "pre_llm_call", "pre": "pre_tool_call",
              "post": "post_tool_call", "stop": "pre_verify", "end": "on_session_end"}
    more_events = ("post_llm_call", "on_session_finalize", "subagent_start", "subagent_stop",
                   "transform_tool_result")

    @staticmethod
    def find(folder: Path) -> list[str] | None:
        path = folder / "bin/hermes"
        return [str(path.absolute())] if path.exists() else None

    @classmethod
    def setup(cls, ctx: Context, hooks: list[Hook], options: dict[str, Any]) -> Any:
        table: dict[str, Any] = {}
        for hook in hooks:
            entry: dict[str, Any] = {"command": hook.command, **hook.extra}
            if hook.matcher is not None:
                entry["matcher"] = hook.matcher
            if hook.timeout is not None:
                entry["timeout"] = round(hook.timeout)
            table.setdefault(hook.event, []).append(entry)
        settings = {
            "model": {"default": "fake-model", "provider": "custom",
                      "base_url": ctx.url + "/v1", "api_key": "fake",
                      "context_length": 200000},
            "hooks_auto_accept": options.get("trust", True),
            "terminal": {"cwd": str(ctx.project)}, **options.get("settings", {})}
        if table:
            settings["hooks"] = table
        # JSON is YAML, but a file of lines is what people have
        text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in settings.items())
        ctx.write(ctx.home / ".hermes/config.yaml", text)
        return (["-z", options.get("prompt", "please go"), "--yolo"],
                {"OPENAI_API_KEY": "fake", "HERMES_HOME": str(ctx.home / ".hermes")})

    @staticmethod
    def blocks(ctx: Context, step: dict[str, Any]) -> list[dict[str, Any]]:
        if "shell" in step:
            return [tool("terminal", command=step["shell"])]
        if "write" in step:
            return [tool("write_file", path=str(ctx.project / step["write"]),
                         content=step["content"])]
        return [tool("patch", mode="replace", path=str(ctx.project / step["edit"]),
                     old_string=step["old"], new_string=step["new"])]

    @classmethod
    def answer(cls, event: str, given: Any, verdict: Verdict) -> Answer | None:
        if verdict.say == "deny" and event == "pre_tool_call":
            return json_answer({"decision": "block", "reason": verdict.text})
        if verdict.say == "context" and event == "pre_llm_call":
            return json_answer({"context": verdict.text})
        if verdict.say == "hold" and event == "pre_verify":
            return json_answer({"decision": "block", "reason": verdict.text})
        return None

    @classmethod
    def stopped_before(cls, given: Any) -> bool:
        return bool((given.get("extra") or {}).get("attempt"))
