// Plimsoll's bridge for Pi, version @VERSION@. Written by `plimsoll init`, replaced by it, removed by `plimsoll uninstall`. It hands
// each event to `plimsoll hook`, and does what that answers.
//
// Before a tool call a guard in doubt blocks: where plimsoll is missing, fails or takes too long, the call is refused with a line that
// says how to go on. Everywhere else a failure is silent.

import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const SECONDS: Record<string, number> = { tool_call: 30, tool_result: 660, agent_before_settle: 120 }
const MOST_HELD = 8 // the client itself has no limit

type Reply = { failed?: string; deny?: string; args?: object; append?: string; context?: string; continue?: string }

function run(event: string, text: string, cwd: string): Promise<Reply> {
  return new Promise((resolve) => {
    const failed = (why: string) => resolve({ failed: `Plimsoll could not judge this call (${why}). The user can check it with ` +
      "`plimsoll doctor`, or go on without it: remove the extension plimsoll.ts of Pi." })
    const seconds = SECONDS[event] ?? 60
    let out = "", err = ""
    let child: any
    try {
      child = spawn(PROGRAM, ["hook", "--agent", "pi", "--event", event, "--deadline", String(seconds)],
                    { cwd, stdio: ["pipe", "pipe", "pipe"] })
    } catch (error) { return failed(String(error)) }
    const timer = setTimeout(() => { child.kill("SIGKILL"); failed(`no answer in ${seconds} s`) }, seconds * 1000)
    child.stdout.on("data", (part: any) => { out += part })
    child.stderr.on("data", (part: any) => { err += part })
    child.stdin.on("error", () => {})
    child.on("error", (error: Error) => { clearTimeout(timer); failed(error.message) })
    child.on("close", (code: number | null) => {
      clearTimeout(timer)
      if (code === 2) return resolve({ deny: err.trim() || "Plimsoll refuses this.", append: err.trim(), continue: err.trim() })
      if (code !== 0) return failed(`exit code ${code}`)
      if (!out.trim()) return resolve({})
      try { resolve(JSON.parse(out)) } catch { failed("its answer is not JSON") }
    })
    child.stdin.end(text)
  })
}

export default function (pi: any) {
  let opening = ""
  let held = 0

  const ask = (event: string, ctx: any, fields: object): Promise<Reply> =>
    run(event, JSON.stringify({ hook_event_name: event, cwd: ctx.cwd,
                                session_id: ctx.sessionManager?.getSessionId?.() ?? "", ...fields }), ctx.cwd)

  pi.on("session_start", async (event: any, ctx: any) => {
    opening = (await ask("session_start", ctx, { source: event.reason })).context ?? ""
  })
  pi.on("before_agent_start", async (event: any, ctx: any) => {
    held = 0
    const answer = await ask("before_agent_start", ctx, { prompt: event.prompt })
    const content = [opening, answer.context].filter(Boolean).join("\n")
    opening = ""
    if (content) return { message: { customType: "plimsoll", content, display: false } }
  })
  pi.on("tool_call", async (event: any, ctx: any) => {
    const answer = await ask("tool_call", ctx, { call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input })
    if (answer.failed || answer.deny) return { block: true, reason: answer.failed ?? answer.deny }
    if (answer.args) Object.assign(event.input, answer.args)
  })
  pi.on("tool_result", async (event: any, ctx: any) => {
    const answer = await ask("tool_result", ctx, { call_id: event.toolCallId, tool_name: event.toolName, tool_input: event.input,
                                                   tool_response: event.content, is_error: event.isError })
    if (answer.append) return { content: [...event.content, { type: "text", text: answer.append }] }
  })
  pi.on("agent_before_settle", async (event: any, ctx: any) => {
    if (held >= MOST_HELD) return
    const answer = await ask("agent_before_settle", ctx, { stop_hook_active: held > 0 })
    if (!answer.continue) return
    held += 1
    return { continue: true, entries: [...event.entries, { type: "custom_message", customType: "plimsoll",
                                                           content: answer.continue, display: false }] }
  })
  pi.on("session_before_compact", async (_: any, ctx: any) => {
    await ask("session_before_compact", ctx, {})
  })
  pi.on("session_shutdown", async (event: any, ctx: any) => {
    await ask("session_shutdown", ctx, { reason: event.reason })
  })
}
