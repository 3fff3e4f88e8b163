// Plimsoll's bridge for Cline, version @VERSION@. Written by `plimsoll init`, replaced by it, removed by `plimsoll uninstall`. It
// hands each event to `plimsoll hook`, and does what that answers. As a plugin, because a hook file of Cline cannot refuse a call.
//
// Before a tool call a guard in doubt blocks: where plimsoll is missing, fails or takes too long, the call is refused with a line that
// says how to go on. Everywhere else a failure is silent. Cline ends the whole run when a handler takes 3 s.

import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const MILLISECONDS = 2500

function ask(event, snapshot, fields) {
  return new Promise((resolve) => {
    const failed = (why) => resolve({ failed: `Plimsoll could not judge this call (${why}). The user can check it with ` +
      "`plimsoll doctor`, or go on without it: remove the plugin plimsoll.js of Cline." })
    let out = "", err = "", child
    try {
      child = spawn(PROGRAM, ["hook", "--agent", "cline", "--event", event, "--deadline", "2"], { stdio: ["pipe", "pipe", "pipe"] })
    } catch (error) { return failed(String(error)) }
    const timer = setTimeout(() => { child.kill("SIGKILL"); failed("no answer in time") }, MILLISECONDS)
    child.stdout.on("data", (part) => { out += part })
    child.stderr.on("data", (part) => { err += part })
    child.stdin.on("error", () => {})
    child.on("error", (error) => { clearTimeout(timer); failed(error.message) })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code === 2) return resolve({ deny: err.trim() || "Plimsoll refuses this.", append: err.trim() })
      if (code !== 0) return failed(`exit code ${code}`)
      if (!out.trim()) return resolve({})
      try { resolve(JSON.parse(out)) } catch { failed("its answer is not JSON") }
    })
    child.stdin.end(JSON.stringify({ hook_event_name: event, cwd: process.cwd(),
                                     session_id: snapshot?.conversationId ?? snapshot?.runId ?? "", ...fields }))
  })
}

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
      const asked = [ask("beforeRun", snapshot, { prompt })]
      if (!begun.has(session)) {
        begun.add(session)
        asked.unshift(ask("sessionStart", snapshot, { source: "startup" }))
      }
      const text = (await Promise.all(asked)).map((answer) => answer.context).filter(Boolean).join("\n")
      if (text) return { appendContext: text }
    },
    beforeTool: async ({ snapshot, toolCall, input }) => {
      const answer = await ask("beforeTool", snapshot, { call_id: toolCall.toolCallId, tool_name: toolCall.toolName, tool_input: input })
      if (answer.failed || answer.deny) return { skip: true, reason: answer.failed ?? answer.deny }
      if (answer.args) return { input: { ...input, ...answer.args } }
    },
    afterTool: async ({ snapshot, toolCall, input, result }) => {
      const answer = await ask("afterTool", snapshot, { call_id: toolCall.toolCallId, tool_name: toolCall.toolName, tool_input: input,
                                                        tool_response: result.output })
      if (answer.append) return { appendContext: answer.append }
    },
    afterRun: async ({ snapshot, result }) => {
      await ask("afterRun", snapshot, { last_assistant_message: result.outputText })
    },
  },
}

export default plugin
