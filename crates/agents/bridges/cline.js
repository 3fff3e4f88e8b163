// Plimsoll's bridge for Cline, version @VERSION@. Written by `plimsoll init`, replaced by it, removed by `plimsoll uninstall`. It
// hands each event to `plimsoll hook`, and does what that answers. As a plugin, because a hook file of Cline cannot refuse a call.
// Cline ends the whole run when a handler takes 3 s.

import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const AGENT = "@AGENT@"
const SECONDS = 2

const tell = (event, snapshot, fields) =>
  ask(event, SECONDS, { cwd: process.cwd(), session_id: snapshot?.conversationId ?? snapshot?.runId ?? "", ...fields })

const begun = new Set()

const plugin = {
  name: "plimsoll",
  manifest: { capabilities: ["hooks"] },
  hooks: {
    beforeRun: async ({ snapshot }) => {
      const said = [...(snapshot?.messages ?? [])].reverse().find((m) => m.role === "user")
      const prompt = (said?.content ?? []).filter((p) => p.type === "text").map((p) => p.text).join("\n")
      const session = snapshot?.conversationId ?? snapshot?.runId ?? ""
      // The client has one event for both, and one time limit.
      const asked = [tell("beforeRun", snapshot, { prompt })]
      if (!begun.has(session)) {
        begun.add(session)
        asked.unshift(tell("sessionStart", snapshot, { source: "startup" }))
      }
      const text = (await Promise.all(asked)).map((answer) => answer.context).filter(Boolean).join("\n")
      if (text) return { appendContext: text }
    },
    beforeTool: async ({ snapshot, toolCall, input }) => {
      const answer = await tell("beforeTool", snapshot, { call_id: toolCall.toolCallId, tool_name: toolCall.toolName, tool_input: input })
      if (answer.failed || answer.deny) return { skip: true, reason: answer.failed ?? answer.deny }
      if (answer.args) return { input: { ...input, ...answer.args } }
    },
    afterTool: async ({ snapshot, toolCall, input, result }) => {
      const answer = await tell("afterTool", snapshot, { call_id: toolCall.toolCallId, tool_name: toolCall.toolName, tool_input: input,
                                                        tool_response: result.output })
      if (answer.append) return { appendContext: answer.append }
    },
    afterRun: async ({ snapshot, result }) => {
      await tell("afterRun", snapshot, { last_assistant_message: result.outputText })
    },
  },
}

export default plugin
