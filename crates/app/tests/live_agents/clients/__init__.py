"""One module for each client; `CLIENTS` maps the names that the commands take."""

from __future__ import annotations

from .base import Client, Context
from .cline import Cline, ClinePlugin
from .codex import Codex
from .copilot import Copilot, CopilotPascal
from .droid import Droid
from .gemini import Gemini
from .grok import Grok
from .hermes import Hermes
from .kimi import Kimi
from .opencode import Kilo, OpenCode
from .pi import Pi
from .qwen import Qwen

CLIENTS: dict[str, type[Client]] = {
    "codex": Codex, "gemini": Gemini, "qwen": Qwen, "copilot": Copilot,
    "copilot-pascal": CopilotPascal, "kimi": Kimi, "droid": Droid, "cline": Cline,
    "cline-plugin": ClinePlugin, "opencode": OpenCode, "kilo": Kilo, "pi": Pi, "hermes": Hermes,
    "grok": Grok}

__all__ = ["CLIENTS", "Client", "Context"]
