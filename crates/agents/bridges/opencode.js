// Plimsoll's bridge for OpenCode and Kilo, version @VERSION@. Written by `plimsoll init`, replaced by it, removed by
// `plimsoll uninstall`. It hands each event to `plimsoll hook`, and does what that answers.
//
// Before a tool call a guard in doubt blocks: where plimsoll is missing, fails or takes too long, the call is refused with a line that
// says how to go on. Everywhere else a failure is silent.

import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const AGENT = "@AGENT@"
const SECONDS = { "tool.execute.before": 30, "tool.execute.after": 660, "session.idle": 120 }
const MOST_HELD = 8 // the client itself has no limit

function ask(event, fields) {
  return new Promise((resolve) => {
    const failed = (why) => resolve({ failed: `Plimsoll could not judge this call (${why}). The user can check it with ` +
      `\`plimsoll doctor\`, or go on without it: remove the plugin plimsoll.js of ${AGENT}.` })
    const seconds = SECONDS[event] ?? 60
    let out = "", err = "", child
    try {
      child = spawn(PROGRAM, ["hook", "--agent", AGENT, "--event", event, "--deadline", String(seconds)],
                    { cwd: fields.cwd, stdio: ["pipe", "pipe", "pipe"] })
    } catch (error) { return failed(String(error)) }
    const timer = setTimeout(() => { child.kill("SIGKILL"); failed(`no answer in ${seconds} s`) }, seconds * 1000)
    child.stdout.on("data", (part) => { out += part })
    child.stderr.on("data", (part) => { err += part })
    child.stdin.on("error", () => {})
    child.on("error", (error) => { clearTimeout(timer); failed(error.message) })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 2) return resolve({ deny: err.trim() || "Plimsoll refuses this.", append: err.trim(), continue: err.trim() })
      if (code !== 0) return failed(`exit code ${code}`)
      if (!out.trim()) return resolve({})
      try { resolve(JSON.parse(out)) } catch { failed("its answer is not JSON") }
    })
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...fields }))
  })
}

export const Plimsoll = async ({ client, directory }) => {
  const started = new Map() // session -> context for its system prompt
  const held = new Map()    // session -> how often its end was held
  return {
    "chat.message": async (input, output) => {
      const common = { session_id: input.sessionID, cwd: directory }
      if (!started.has(input.sessionID)) {
        started.set(input.sessionID, "")
        const answer = await ask("session.created", common)
        if (answer.context) started.set(input.sessionID, answer.context)
      }
      const prompt = output.parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      const answer = await ask("chat.message", { ...common, prompt })
      if (answer.context)
        output.parts.push({ id: "prt_" + Date.now().toString(36) + "plimsoll", type: "text", sessionID: input.sessionID,
                            messageID: output.message.id, synthetic: true, text: answer.context })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = started.get(input.sessionID)
      if (text) output.system.push(text)
    },
    "tool.execute.before": async (input, output) => {
      const answer = await ask("tool.execute.before", { session_id: input.sessionID, cwd: directory, call_id: input.callID,
                                                        tool_name: input.tool, tool_input: output.args })
      if (answer.failed || answer.deny) throw new Error(answer.failed ?? answer.deny)
      if (answer.args) Object.assign(output.args, answer.args) // a new object would be ignored
    },
    "tool.execute.after": async (input, output) => {
      const answer = await ask("tool.execute.after", { session_id: input.sessionID, cwd: directory, call_id: input.callID,
                                                       tool_name: input.tool, tool_input: input.args,
                                                       tool_response: output?.output })
      if (answer.append) output.output += "\n" + answer.append
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const session = event.properties.sessionID
      const times = held.get(session) ?? 0
      if (times >= MOST_HELD) return
      const answer = await ask("session.idle", { session_id: session, cwd: directory, stop_hook_active: times > 0 })
      if (!answer.continue) return
      held.set(session, times + 1)
      await client.session.prompt({ path: { id: session }, body: { parts: [{ type: "text", text: answer.continue }] } })
    },
  }
}
