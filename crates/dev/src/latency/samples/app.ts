/** One line of a log: when it was written, how much it matters, and what it says. */
export interface Entry {
  readonly time: Date;
  readonly level: Level;
  readonly message: string;
}

export type Level = "debug" | "info" | "warning" | "error";

const LEVELS: readonly Level[] = ["debug", "info", "warning", "error"];

const LINE = /^(?<time>\S+) (?<level>[a-z]+) (?<message>.*)$/;

function isLevel(text: string): text is Level {
  return LEVELS.some((level) => level === text);
}

/** Reads one line; nothing where it is not one of ours. */
export function parse(line: string): Entry | undefined {
  const groups = LINE.exec(line)?.groups;
  if (groups === undefined) {
    return undefined;
  }
  const time = new Date(groups.time);
  if (Number.isNaN(time.getTime()) || !isLevel(groups.level)) {
    return undefined;
  }
  return { time, level: groups.level, message: groups.message };
}

/** How often each level occurs. */
export function count(entries: readonly Entry[]): Map<Level, number> {
  const counts = new Map<Level, number>();
  for (const { level } of entries) {
    counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  return counts;
}

/** The entries that matter at least as much as this, newest first. */
export function atLeast(entries: readonly Entry[], least: Level): Entry[] {
  const from = LEVELS.indexOf(least);
  return entries
    .filter(({ level }) => LEVELS.indexOf(level) >= from)
    .sort((a, b) => b.time.getTime() - a.time.getTime());
}
