import type { ClientCapability, ClientTool, ClientToolHandler, ToolOptions } from './agent-api.ts';
import type { AgentState } from './agent-state.ts';
import { ParleyError } from './error.ts';
import type { JsonObject, PendingToolCall } from './history.ts';

/** A result in the REST API. */
export interface ToolResult {
  readonly call_id: string;
  readonly output: JsonObject;
}

/** The connected tools in the REST API; undefined without tools. */
export function capabilitiesOf({ clientTools = {}, clientCapabilities = [] }: ToolOptions) {
  const handled = Object.entries(clientTools).map(([name, tool]): ClientCapability => {
    return typeof tool === 'function' ? name : { name, inputSchema: tool.inputSchema };
  });
  const all = [...handled, ...clientCapabilities.filter((one) => !Object.hasOwn(clientTools, nameOf(one)))];
  if (all.length === 0) return undefined;
  return all.map((one) => (typeof one === 'string' ? one : { name: one.name, input_schema: one.inputSchema }));
}

const warned = new Set<string>();

/** Warns once about each handler that the assistant cannot call, for example because its name is misspelled. */
export function warnOfIgnored(
  { clientTools = {} }: ToolOptions,
  ignored: readonly { readonly name: string; readonly reason: string }[] = [],
): void {
  for (const { name, reason } of ignored) {
    if (!Object.hasOwn(clientTools, name) || warned.has(name)) continue;
    warned.add(name);
    console.warn(`Parley: ${name}: ${reason}`);
  }
}

const nameOf = (capability: ClientCapability) => (typeof capability === 'string' ? capability : capability.name);

const handlerOf = (tool: ClientTool | undefined): ClientToolHandler | undefined =>
  typeof tool === 'function' ? tool : tool?.handler;

/** Without this check an undefined output would look like a call without an output, and the round would wait. */
export function isOutput(output: unknown): output is JsonObject {
  return typeof output === 'object' && output !== null && !Array.isArray(output);
}

interface RoundOptions {
  /** The tools that are connected now. */
  tools(): ToolOptions;
  /** Called when every pending call has an output. */
  onComplete(): void;
  onFailure(error: ParleyError): void;
}

/** The outputs of the pending calls of one conversation, and the handlers that compute them. */
export class ToolRound {
  readonly #options: RoundOptions;
  readonly #outputs = new Map<string, JsonObject>();
  /** Aborts the handler of each call. An entry stays, so that a call is never handled twice. */
  readonly #handled = new Map<string, AbortController>();

  constructor(options: RoundOptions) {
    this.#options = options;
  }

  /** Runs the handlers of new calls and aborts those whose call is no longer pending. */
  update({ pendingToolCalls, conversationId }: AgentState): void {
    const pending = new Set(pendingToolCalls.map(({ callId }) => callId));
    for (const [callId, controller] of this.#handled) if (!pending.has(callId)) controller.abort();
    for (const callId of this.#outputs.keys()) if (!pending.has(callId)) this.#outputs.delete(callId);
    const { clientTools = {} } = this.#options.tools();
    for (const call of pendingToolCalls) {
      const handler = Object.hasOwn(clientTools, call.name) ? handlerOf(clientTools[call.name]) : undefined;
      if (handler && conversationId && !this.#handled.has(call.callId)) void this.#run(handler, call, conversationId);
    }
  }

  set(callId: string, output: JsonObject): void {
    this.#outputs.set(callId, output);
  }

  /** The results of the whole round; undefined while an output is missing. */
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
    for (const controller of this.#handled.values()) controller.abort();
  }

  async #run(handler: ClientToolHandler, call: PendingToolCall, conversationId: string): Promise<void> {
    const { callId, name } = call;
    const controller = new AbortController();
    const { signal } = controller;
    this.#handled.set(callId, controller);
    try {
      const output: unknown = await handler(call.arguments, { callId, name, conversationId, signal });
      if (signal.aborted) return;
      if (!isOutput(output)) throw new TypeError(`it must return an object, but returned ${JSON.stringify(output)}`);
      this.#outputs.set(callId, output);
      this.#options.onComplete();
    } catch (cause) {
      if (!signal.aborted) this.#options.onFailure(handlerFailure(call, cause));
    }
  }
}

function handlerFailure({ callId, name }: PendingToolCall, cause: unknown): ParleyError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `The handler of the client tool "${name}" failed: ${reason}`;
  return new ParleyError({ code: 'client_tool_failed', message, details: { call_id: callId, name }, cause });
}
