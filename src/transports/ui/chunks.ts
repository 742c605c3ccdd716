import type { UIMessageChunk } from 'ai';
import { APPROVAL_TOOL, RAISE_BUDGET_TOOL } from '../../contract/client-tools.ts';
import type { StreamEvent } from '../../rest/stream.ts';
import { endOf } from './end.ts';
import type { ApprovalRequest, CallItem, ChatRun, FeedItem, TurnEnd } from './feed-items.ts';
import { endMetadata, startMetadata } from './metadata.ts';

type PartKind = 'reasoning' | 'text';

/** Where a stream begins. */
export interface StreamStart {
  /** The calls that the client has in the message that the stream continues. Undefined: it begins a message. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Whether the client knows the chunk that removes the parts of a step. Version 6 of the AI SDK rejects it. */
  readonly canResetSteps?: boolean;
}

/** The chunks of `ai` 6, which the service is built with, and those of later versions. */
export type ChatChunk = UIMessageChunk | { readonly type: 'reset-step' };

/**
 * Converts the events of one turn to the chunks of a message. A message is a turn. Each model step that writes text or
 * reasoning is a step of the message, and so are the calls after the results of client tools: clients send the results of the last step.
 */
export class TurnChunks {
  /** The turn has paused or ended. */
  hasEnded = false;
  /** The calls that the client had before. It has their results, because it sent them. */
  readonly #known: ReadonlySet<string> | undefined;
  readonly #canResetSteps: boolean;
  readonly #announced: Set<string>;
  readonly #denied = new Set<string>();
  #chunks: ChatChunk[] = [];
  #isInStep = false;
  /** The open part, and its message. */
  #part: { readonly kind: PartKind; readonly id: string } | undefined;
  /** The message whose step is open. */
  #message: string | undefined;
  /** Results of the client were accepted, and no later step has begun. */
  #isAnswered = false;

  constructor({ known, canResetSteps = false }: StreamStart) {
    this.#known = known;
    this.#canResetSteps = canResetSteps;
    this.#announced = new Set(known);
  }

  /** The chunks of an event of the feed. */
  read(event: StreamEvent): readonly ChatChunk[] {
    this.#chunks = [];
    this.#convert(event);
    return this.#chunks;
  }

  #convert(event: StreamEvent): void {
    const { event: type } = event;
    const run = event.run as ChatRun | null | undefined;
    if (type === 'turn.started') this.#start(run);
    else if (type === 'reasoning.delta') this.#write('reasoning', String(event.message_key), String(event.text));
    else if (type === 'text.delta') this.#write('text', String(event.message_key), String(event.text));
    else if (type === 'step.restarted') this.#restartStep();
    else if (type === 'item') this.#readItem(event.item as FeedItem, event.completes);
    else if (type === 'turn.paused') this.#end(run, [{ type: 'finish', finishReason: 'tool-calls' }]);
    else if (type === 'turn.ended') this.#end(run, endOf(event as unknown as TurnEnd));
  }

  #emit(...chunks: ChatChunk[]): void {
    this.#chunks.push(...chunks);
  }

  /** A continued message keeps the ID that it has. Without a run, the conversation was deleted in the meantime. */
  #start(run: ChatRun | null | undefined): void {
    if (!run) return;
    this.#emit({
      type: 'start',
      ...(!this.#known && { messageId: run.run_id }),
      messageMetadata: startMetadata(run),
    });
  }

  #write(kind: PartKind, message: string, delta: string): void {
    if (this.#message !== message) {
      this.#beginStep();
      this.#message = message;
    }
    if (this.#part?.kind !== kind) {
      this.#endPart();
      this.#part = { kind, id: message };
      this.#emit({ type: `${kind}-start`, id: message });
    }
    this.#emit({ type: `${kind}-delta`, id: message, delta });
  }

  /** The parts of the step are void. A client that cannot remove them gets a part that says so. */
  #restartStep(): void {
    const part = this.#part;
    if (part && this.#canResetSteps) {
      this.#part = undefined;
      this.#emit({ type: 'reset-step' });
      return;
    }
    this.#endPart();
    if (part) this.#emit({ type: 'data-step-restarted', data: { text_id: part.id } });
  }

  #readItem(item: FeedItem, completes: unknown): void {
    if (item.type === 'message' && completes === this.#part?.id) this.#endPart();
    if (item.type === 'tool' || item.type === 'action') this.#readServerCall(item);
    if (item.type !== 'client_tool') return;
    if (item.name === APPROVAL_TOOL) this.#readApproval(item);
    else if (item.name === RAISE_BUDGET_TOOL) this.#readHiddenDecision(item);
    else this.#readClientCall(item);
  }

  /** A call that waits for an approval is announced with its arguments, by the approval. */
  #readServerCall({ call_id: toolCallId, name, status, summary, input }: CallItem): void {
    if (status === 'pending' || status === 'cancelled' || this.#denied.has(toolCallId)) return;
    this.#announceServerCall(toolCallId, name, input ?? {});
    if (status === 'completed') this.#emit({ type: 'tool-output-available', toolCallId, output: { summary } });
    else if (status !== 'running') this.#emit({ type: 'tool-output-error', toolCallId, errorText: summary });
  }

  #readApproval(item: CallItem): void {
    const { call_id: approvalId, status, arguments: args, output } = item;
    const { call_id: toolCallId, tool, arguments: input } = args as Partial<ApprovalRequest>;
    if (status === 'cancelled') return;
    // Who cannot answer the approval does not get its arguments.
    if (toolCallId === undefined || tool === undefined) {
      this.#readHiddenDecision(item);
      return;
    }
    this.#announceServerCall(toolCallId, tool, input);
    if (status === 'pending') {
      this.#emit({ type: 'tool-approval-request', approvalId, toolCallId });
      return;
    }
    this.#isAnswered = true;
    if (output?.approved === true) return;
    this.#denied.add(toolCallId);
    this.#emit({ type: 'tool-output-denied', toolCallId });
  }

  /** A decision that somebody else makes: the client only sees that it waits, and the decision. */
  #readHiddenDecision({ call_id: toolCallId, name, status, output }: CallItem): void {
    this.#announceServerCall(toolCallId, name, {});
    if (status === 'pending') return;
    this.#isAnswered = true;
    this.#emit({ type: 'tool-output-available', toolCallId, output: { approved: output?.approved === true } });
  }

  #announceServerCall(toolCallId: string, toolName: string, input: unknown): void {
    if (this.#announced.has(toolCallId)) return;
    this.#announce(toolCallId);
    this.#emit({ type: 'tool-input-available', toolCallId, toolName, input, providerExecuted: true, dynamic: true });
  }

  #readClientCall({ call_id: toolCallId, name: toolName, status, summary, arguments: input, output }: CallItem): void {
    const isKnown = this.#announced.has(toolCallId);
    if (status === 'cancelled' || (isKnown && status === 'pending')) return;
    if (!isKnown) this.#announce(toolCallId);
    if (status === 'pending') {
      this.#emit({ type: 'tool-input-available', toolCallId, toolName, input });
      return;
    }
    // `tool-input-available` would make the client run the tool again.
    if (!isKnown) {
      const inputTextDelta = JSON.stringify(input);
      this.#emit({ type: 'tool-input-start', toolCallId, toolName });
      this.#emit({ type: 'tool-input-delta', toolCallId, inputTextDelta });
    }
    this.#isAnswered = true;
    if (this.#known?.has(toolCallId)) return;
    if (status === 'completed') this.#emit({ type: 'tool-output-available', toolCallId, output });
    else this.#emit({ type: 'tool-output-error', toolCallId, errorText: summary });
  }

  #announce(callId: string): void {
    this.#endPart();
    if (!this.#isInStep || this.#isAnswered) this.#beginStep();
    this.#announced.add(callId);
  }

  #beginStep(): void {
    this.#endStep();
    this.#isInStep = true;
    this.#isAnswered = false;
    this.#emit({ type: 'start-step' });
  }

  #endStep(): void {
    this.#endPart();
    if (this.#isInStep) this.#emit({ type: 'finish-step' });
    this.#isInStep = false;
  }

  #endPart(): void {
    if (this.#part) this.#emit({ type: `${this.#part.kind}-end`, id: this.#part.id });
    this.#part = undefined;
  }

  #end(run: ChatRun | null | undefined, chunks: readonly UIMessageChunk[]): void {
    // Without a later step, a client that sends complete results automatically would send the accepted ones again.
    if (this.#isAnswered) this.#beginStep();
    this.#endStep();
    if (run) this.#emit({ type: 'message-metadata', messageMetadata: endMetadata(run) });
    this.#emit(...chunks);
    this.hasEnded = true;
  }
}
