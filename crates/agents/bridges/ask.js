
// ---- The same in every bridge. ----
//
// Hands one event to `plimsoll hook`, and never throws. Before a tool call a guard in doubt blocks: where plimsoll is missing, fails or
// takes too long, the answer has `failed`, a line that says how to go on. Everywhere else a failure is silent.

/** @returns {Promise<{failed?: string, deny?: string, args?: object, output?: any, append?: string, context?: string, continue?: string}>} */
function ask(event, seconds, fields) {
  return new Promise((resolve) => {
    const failed = (why) => resolve({ failed: `Plimsoll could not judge this call (${why}). The user can check it with ` +
      `\`plimsoll doctor\`, or go on without it: \`plimsoll uninstall --agent ${AGENT}\`, or remove its plugin from ${AGENT}.` })
    let out = "", err = "", child
    try {
      child = spawn(PROGRAM, ["hook", "--agent", AGENT, "--event", event, "--deadline", String(seconds)],
                    { cwd: fields.cwd, stdio: ["pipe", "pipe", "pipe"] })
    } catch (error) { return failed(String(error)) }
    const timer = setTimeout(() => { child.kill("SIGKILL"); failed(`no answer in ${seconds} s`) }, seconds * 1000 + 500)
    child.stdout.on("data", (part) => { out += part })
    child.stderr.on("data", (part) => { err += part })
    child.stdin.on("error", () => {})
    child.on("error", (error) => { clearTimeout(timer); failed(error.message) })
    child.on("close", (code) => {
      clearTimeout(timer)
      const said = err.trim()
      if (code === 2) return resolve({ deny: said || "Plimsoll refuses this.", append: said, continue: said })
      if (code !== 0) return failed(code === null ? "it was killed" : `exit code ${code}`)
      if (!out.trim()) return resolve({})
      try {
        const answer = JSON.parse(out)
        if (answer && typeof answer === "object" && !Array.isArray(answer)) return resolve(answer)
      } catch {}
      failed("its answer is not a JSON object")
    })
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...fields }))
  })
}
