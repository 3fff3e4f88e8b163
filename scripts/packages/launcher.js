#!/usr/bin/env node
// Starts the program for this system, which npm has put beside this package. Hooks do not come through here: `plimsoll init`
// registers the program itself, because starting node takes a hundred times as long as an answer.
"use strict";
const { spawnSync } = require("node:child_process");
const { dirname, join } = require("node:path");

const name = `@plimsoll/${process.platform}-${process.arch}`;
let folder;
try {
  folder = dirname(require.resolve(`${name}/package.json`));
} catch {
  console.error(
    `plimsoll: ${name} is not installed. Install without --omit=optional, or take an archive of the release: there may be none for this system.`,
  );
  process.exit(1);
}
const program = join(folder, "bin", process.platform === "win32" ? "plimsoll.exe" : "plimsoll");
const done = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (done.error) {
  console.error(`plimsoll: ${program} cannot be started: ${done.error.message}`);
  process.exit(1);
}
process.exit(done.status ?? 1);
