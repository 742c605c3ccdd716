import type { ClientCapability, ClientTool, ClientToolHandler, ToolOptions } from './agent-api.ts';
import type { AgentState } from './agent-state.ts';
import { ParleyError } from './error.ts';
import type { JsonObject, PendingToolCall } from './history.ts';

/** A result as REST takes it. */
export interface ToolResult {
  readonly call_id: string;
  readonly output: JsonObject;
}

/** What is connected, as REST takes it; undefined where nothing is. */
export function capabilitiesOf({ clientTools = {}, clientCapabilities = [] }: ToolOptions) {
  const handled = Object.entries(clientTools).map(([name, tool]): ClientCapability => {
    return typeof tool === 'function' ? name : { name, inputSchema: tool.inputSchema };
  });
  const all = [...handled, ...clientCapabilities.filter((one) => !Object.hasOwn(clientTools, nameOf(one)))];
  if (all.length === 0) return undefined;
  return all.map((one) => (typeof one === 'string' ? one : { name: one.name, input_schema: one.inputSchema }));
}

const nameOf = (capability: ClientCapability) => (typeof capability === 'string' ? capability : capability.name);

const handlerOf = (tool: ClientTool | undefined): ClientToolHandler | undefined =>
  typeof tool === 'function' ? tool : tool?.handler;

/** Where rounds get what they need. */
interface RoundHost {
  tools(): ToolOptions;
  /** All calls have an output. */
  onWhole(): void;
  onFailure(error: ParleyError): void;
}

/** Outputs of the pending calls of one conversation, and the handlers at work on them. */
export class ToolRound {
  readonly #host: RoundHost;
  readonly #outputs = new Map<string, JsonObject>();
  /** Calls that a handler was given, and how to stop it: never given again. */
  readonly #begun = new Map<string, AbortController>();

  constructor(host: RoundHost) {
    this.#host = host;
  }

  /** Runs handlers of calls that are new, and stops those whose call waits no more. */
  update({ pendingToolCalls, conversationId }: AgentState): void {
    const waiting = new Set(pendingToolCalls.map(({ callId }) => callId));
    for (const [callId, controller] of this.#begun) if (!waiting.has(callId)) controller.abort();
    for (const callId of this.#outputs.keys()) if (!waiting.has(callId)) this.#outputs.delete(callId);
    const { clientTools = {} } = this.#host.tools();
    for (const call of pendingToolCalls) {
      const handler = Object.hasOwn(clientTools, call.name) ? handlerOf(clientTools[call.name]) : undefined;
      if (handler && conversationId && !this.#begun.has(call.callId)) void this.#run(handler, call, conversationId);
    }
  }

  set(callId: string, output: JsonObject): void {
    this.#outputs.set(callId, output);
  }

  /** Results of the whole round; undefined where a call has none yet. */
  results({ pendingToolCalls }: AgentState): ToolResult[] | undefined {
    const results: ToolResult[] = [];
    for (const { callId } of pendingToolCalls) {
      const output = this.#outputs.get(callId);
      if (output === undefined) return undefined;
      results.push({ call_id: callId, output });
    }
    return results.length > 0 ? results : undefined;
  }

  stop(): void {
    for (const controller of this.#begun.values()) controller.abort();
  }

  async #run(handler: ClientToolHandler, call: PendingToolCall, conversationId: string): Promise<void> {
    const { callId, name } = call;
    const controller = new AbortController();
    const { signal } = controller;
    this.#begun.set(callId, controller);
    try {
      const output = await handler(call.arguments, { callId, name, conversationId, signal });
      if (signal.aborted) return;
      this.#outputs.set(callId, output);
      this.#host.onWhole();
    } catch (cause) {
      if (!signal.aborted) this.#host.onFailure(handlerFailure(call, cause));
    }
  }
}

function handlerFailure({ callId, name }: PendingToolCall, cause: unknown): ParleyError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `The handler of ${name} failed: ${why}`;
  return new ParleyError({ code: 'client_tool_failed', message, details: { call_id: callId, name }, cause });
}
