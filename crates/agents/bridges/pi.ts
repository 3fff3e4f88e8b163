// Plimsoll's bridge for Pi, version @VERSION@. Written by `plimsoll init`, replaced by it, removed by `plimsoll uninstall`. It hands
// each event to `plimsoll hook`, and does what that answers.

import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const AGENT = "@AGENT@"
const SECONDS: Record<string, number> = { tool_call: 30, tool_result: 660, agent_before_settle: 120 }
const MOST_HELD = 8 // the client itself has no limit

type Reply = { failed?: string; deny?: string; args?: object; output?: unknown; append?: string; context?: string;
               continue?: string }

export default function (pi: any) {
  let opening = ""
  let held = 0

  const tell = (event: string, ctx: any, fields: object): Promise<Reply> =>
    ask(event, SECONDS[event] ?? 60, { cwd: ctx.cwd, session_id: ctx.sessionManager?.getSessionId?.() ?? "", ...fields })

  pi.on("session_start", async (event: any, ctx: any) => {
    opening = (await tell("session_start", ctx, { source: event.reason })).context ?? ""
  })
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    held = 0
    const answer = await tell("before_agent_start", ctx, { prompt: event.prompt })
    const content = [opening, answer.context].filter(Boolean).join("\n")
    opening = ""
    if (content) return { message: { customType: "plimsoll", content, display: false } }
  })
  pi.on("tool_call", async (event: any, ctx: any) => {
    const answer = await tell("tool_call", ctx, { call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input })
    if (answer.failed || answer.deny) return { block: true, reason: answer.failed ?? answer.deny }
    if (answer.args) Object.assign(event.input, answer.args)
  })
  pi.on("tool_result", async (event: any, ctx: any) => {
    const answer = await tell("tool_result", ctx, { call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input,
                                                   tool_response: event.content, is_error: event.isError })
    const content = Array.isArray(answer.output) ? answer.output : event.content
    if (answer.append) return { content: [...content, { type: "text", text: answer.append }] }
    if (content !== event.content) return { content }
  })
  pi.on("agent_before_settle", async (event: any, ctx: any) => {
    if (held >= MOST_HELD) return
    const answer = await tell("agent_before_settle", ctx, { stop_hook_active: held > 0 })
    if (!answer.continue) return
    held += 1
    return { continue: true, entries: [...event.entries, { type: "custom_message", customType: "plimsoll",
                                                           content: answer.continue, display: false }] }
  })
  pi.on("session_before_compact", async (_: any, ctx: any) => {
    await tell("session_before_compact", ctx, {})
  })
  pi.on("session_shutdown", async (event: any, ctx: any) => {
    await tell("session_shutdown", ctx, { reason: event.reason })
  })
}
