"""Plimsoll's bridge for Hermes, version @VERSION@. Written by `plimsoll init`, replaced by it, removed by `plimsoll uninstall`.

It hands each event to `plimsoll hook`, and does what that answers. As a plugin, because a command hook of Hermes can neither change a call
nor speak after one, and lets a call run when it fails. Before a tool call a guard in doubt blocks: where plimsoll is missing, fails or
takes too long, the call is refused with a line that says how to go on. Everywhere else a failure is silent.
"""

import json
import os
import subprocess
from typing import Any, Optional

PROGRAM = "@PROGRAM@"
SECONDS = {"pre_tool_call": 30, "transform_tool_result": 660, "pre_verify": 120}

Answer = dict[str, Any]


def _failed(why: str) -> Answer:
    return {"failed": f"Plimsoll could not judge this call ({why}). The user can check it with `plimsoll doctor`, or go on without "
                      "it: `plimsoll uninstall --agent hermes`, or `hermes plugins disable plimsoll`."}


def _ask(event: str, tool: Optional[str] = None, args: Any = None, session: str = "", **extra: Any) -> Answer:
    seconds = SECONDS.get(event, 60)
    try:
        payload = {"hook_event_name": event, "tool_name": tool, "tool_input": args, "session_id": session or "",
                   "cwd": os.getcwd(), "extra": extra}
        done = subprocess.run(
            [PROGRAM, "hook", "--agent", "hermes", "--event", event, "--deadline", str(seconds)],
            input=json.dumps(payload, default=str), capture_output=True, text=True, timeout=seconds + 0.5, check=False)
    except subprocess.TimeoutExpired:
        return _failed(f"no answer in {seconds} s")
    except Exception as error:  # Hermes would let the call run
        return _failed(str(error))
    said = done.stderr.strip()
    if done.returncode == 2:
        return {"deny": said or "Plimsoll refuses this.", "append": said, "continue": said}
    if done.returncode:
        return _failed("it was killed" if done.returncode < 0 else f"exit code {done.returncode}")
    if not done.stdout.strip():
        return {}
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else _failed("its answer is not a JSON object")


# Hermes asks twice before a call: what it would be, and whether it may happen. Between the two an answer waits here by the call's id,
# with the input that it is about: another plugin may have changed that since.
_judged: dict[str, tuple[Answer, Any]] = {}
# What was said at the start of a session, for its first prompt.
_opening: dict[str, str] = {}


def _tool_request(tool_name: str = "", args: Any = None, session_id: str = "", tool_call_id: str = "", **_: Any) -> Any:
    answer = _ask("pre_tool_call", tool_name, args, session_id, tool_call_id=tool_call_id)
    changed = {**args, **answer["args"]} if isinstance(args, dict) and isinstance(answer.get("args"), dict) else None
    if tool_call_id:
        if len(_judged) > 100:
            _judged.clear()
        _judged[tool_call_id] = (answer, args if changed is None else changed)
    return None if changed is None else {"args": changed}


def _pre_tool_call(tool_name: str = "", args: Any = None, session_id: str = "", tool_call_id: str = "", **_: Any) -> Any:
    answer, about = _judged.pop(tool_call_id, ({}, None))
    if about is None or about != args:
        answer = _ask("pre_tool_call", tool_name, args, session_id, tool_call_id=tool_call_id)
        if isinstance(answer.get("args"), dict):  # too late to put it in
            answer = {"deny": f"Run this instead: {answer['args'].get('command')}"}
    reason = answer.get("failed") or answer.get("deny")
    return {"action": "block", "message": reason} if reason else None


def _transform_tool_result(tool_name: str = "", args: Any = None, result: Any = None, session_id: str = "",
                           tool_call_id: str = "", **_: Any) -> Any:
    said = _ask("transform_tool_result", tool_name, args, session_id, tool_call_id=tool_call_id, result=result).get("append")
    return f"{result}\n\n{said}" if said else None


def _on_session_start(session_id: str = "", **_: Any) -> None:
    _opening[session_id] = _ask("on_session_start", session=session_id).get("context") or ""


def _pre_llm_call(session_id: str = "", user_message: Any = "", **_: Any) -> Any:
    said = _ask("pre_llm_call", session=session_id, user_message=user_message).get("context")
    text = "\n".join(filter(None, [_opening.pop(session_id, ""), said]))
    return {"context": text} if text else None


def _pre_verify(session_id: str = "", attempt: int = 0, final_response: str = "", **_: Any) -> Any:
    said = _ask("pre_verify", session=session_id, attempt=attempt, final_response=final_response).get("continue")
    return {"action": "continue", "message": said} if said else None


def _on_session_end(session_id: str = "", **_: Any) -> None:
    _ask("on_session_end", session=session_id)


def register(ctx: Any) -> None:
    ctx.register_middleware("tool_request", _tool_request)
    ctx.register_hook("pre_tool_call", _pre_tool_call)
    ctx.register_hook("transform_tool_result", _transform_tool_result)
    ctx.register_hook("on_session_start", _on_session_start)
    ctx.register_hook("pre_llm_call", _pre_llm_call)
    ctx.register_hook("pre_verify", _pre_verify)
    ctx.register_hook("on_session_end", _on_session_end)
