"""Reads the log lines of a service and counts them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

LEVELS = ("debug", "info", "warning", "error")
LINE = re.compile(r"^(?P<time>\S+) (?P<level>[a-z]+) (?P<message>.*)$")


@dataclass(frozen=True)
class Entry:
    """One line: when it was written, how much it matters, what it says."""

    time: datetime
    level: str
    message: str


def parse(line: str) -> Entry | None:
    """Read one line; nothing where it is not one of ours."""
    match = LINE.match(line)
    if match is None or match["level"] not in LEVELS:
        return None
    try:
        time = datetime.fromisoformat(match["time"])
    except ValueError:
        return None
    return Entry(time, match["level"], match["message"])


def read(path: Path) -> Iterator[Entry]:
    """Read the entries of a file, in their order."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            entry = parse(line.rstrip("\n"))
            if entry is not None:
                yield entry


def count(entries: Iterable[Entry]) -> Counter[str]:
    """Count how often each level occurs."""
    return Counter(entry.level for entry in entries)


def at_least(entries: Iterable[Entry], least: str) -> list[Entry]:
    """Return the entries that matter at least as much, newest first."""
    start = LEVELS.index(least)
    kept = [entry for entry in entries if LEVELS.index(entry.level) >= start]
    return sorted(kept, key=lambda entry: entry.time, reverse=True)
