// Plimsoll's bridge for OpenCode and Kilo, version @VERSION@. Written by `plimsoll init`, replaced by it, removed by
// `plimsoll uninstall`. It hands each event to `plimsoll hook`, and does what that answers.

import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const AGENT = "@AGENT@"
const SECONDS = { "tool.execute.before": 30, "tool.execute.after": 660, "session.idle": 120 }
const MOST_HELD = 8 // the client itself has no limit

const tell = (event, fields) => ask(event, SECONDS[event] ?? 60, fields)

export const Plimsoll = async ({ client, directory }) => {
  const started = new Map() // session -> context for its system prompt
  const held = new Map()    // session -> how often its end was held since the user's last prompt, and what was said then
  return {
    "chat.message": async (input, output) => {
      const common = { session_id: input.sessionID, cwd: directory }
      if (!started.has(input.sessionID)) {
        started.set(input.sessionID, "")
        const answer = await tell("session.created", common)
        if (answer.context) started.set(input.sessionID, answer.context)
      }
      const prompt = output.parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      if (held.get(input.sessionID)?.text !== prompt) held.delete(input.sessionID) // else it is our own text
      const answer = await tell("chat.message", { ...common, prompt })
      if (answer.context)
        output.parts.push({ id: "prt_" + Date.now().toString(36) + "plimsoll", type: "text", sessionID: input.sessionID,
                            messageID: output.message.id, synthetic: true, text: answer.context })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = started.get(input.sessionID)
      if (text) output.system.push(text)
    },
    "tool.execute.before": async (input, output) => {
      const answer = await tell("tool.execute.before", { session_id: input.sessionID, cwd: directory, call_id: input.callID,
                                                        tool_name: input.tool, tool_input: output.args })
      if (answer.failed || answer.deny) throw new Error(answer.failed ?? answer.deny)
      if (answer.args) Object.assign(output.args, answer.args) // a new object would be ignored
    },
    "tool.execute.after": async (input, output) => {
      const answer = await tell("tool.execute.after", { session_id: input.sessionID, cwd: directory, call_id: input.callID,
                                                       tool_name: input.tool, tool_input: input.args,
                                                       tool_response: output?.output })
      if (typeof answer.output === "string") output.output = answer.output
      if (answer.append) output.output += "\n" + answer.append
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return
      const session = event.properties.sessionID
      const times = held.get(session)?.times ?? 0
      if (times >= MOST_HELD) return
      const answer = await tell("session.idle", { session_id: session, cwd: directory, stop_hook_active: times > 0 })
      if (!answer.continue) return
      held.set(session, { times: times + 1, text: answer.continue })
      await client.session.prompt({ path: { id: session }, body: { parts: [{ type: "text", text: answer.continue }] } })
    },
  }
}
