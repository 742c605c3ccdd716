import { type MessageContent, textOf } from '../../../contract/content.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import type { LiveStep } from './live-turn.ts';
import { isActive, messageKey, type TurnChange, type TurnEvent, type TurnState } from './turn-events.ts';
import type { TurnCursors, TurnPlace } from './turn-place.ts';
import { readPendingCalls, readReply, readTurns, type TurnSource } from './turn-reads.ts';

/**
 * Converts what is stored and written to the events that a watcher has not received. It remembers the watcher's place.
 * The deltas of a message always add up to the text that is stored, whenever the watcher came.
 */
export class TurnReader {
  readonly #source: TurnSource;
  readonly #cursors: TurnCursors;
  #place: TurnPlace;
  #events: TurnEvent[] = [];

  constructor(source: TurnSource, cursors: TurnCursors, place: TurnPlace) {
    this.#source = source;
    this.#cursors = cursors;
    this.#place = place;
  }

  get place(): TurnPlace {
    return this.#place;
  }

  /** Returns the events since the last call. */
  take(): readonly TurnEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Reports that the turn at this place is running, to a watcher that comes from a page of the timeline. */
  reportRunning(runId: string): void {
    this.#emit({ kind: 'turn.started', runId }, {});
  }

  /** Reports an item of the timeline, and the start and end of turns that it shows. */
  async readItem(item: TimelineItem): Promise<void> {
    if (item.runId !== this.#place.runId && (await this.#beginsTurn(item))) {
      const { runId } = item;
      this.#emit(
        { kind: 'turn.started', runId },
        { runId, hasEnded: false, step: 1, offset: 0, fence: 0, pausedStep: 0 },
      );
    }
    const { runId, step } = item;
    const isReply = item.kind === 'message' && item.role === 'assistant';
    const isNext = runId === this.#place.runId && step >= this.#place.step;
    if (isReply && isNext) this.#completeText(step, textOf(item.content as unknown as MessageContent));
    const key = isReply ? messageKey(runId, step) : null;
    const moved = isReply && isNext ? { step: step + 1, offset: 0 } : {};
    this.#emit({ kind: 'item', item, messageKey: key }, { revision: item.revision, ...moved });
  }

  /** Reports text that is written, but not stored as a message. Call it with all items of earlier steps read. */
  readText(steps: readonly LiveStep[]): void {
    for (const { fence, step, text } of steps) {
      const { runId, offset, ...place } = this.#place;
      if (runId === null || step < place.step) continue;
      const continues = step === place.step && (offset === 0 || fence === place.fence);
      if (!continues) this.#restart();
      if (text.length > (continues ? offset : 0)) this.#write(step, text, fence);
    }
  }

  /**
   * Whether `readText` would begin a text, or declare one void. All items that were stored before must be read first: the
   * message of the step before, and the results that the new step answers.
   */
  beginsText(steps: readonly LiveStep[]): boolean {
    const { offset, step, fence } = this.#place;
    const isNew = (one: LiveStep) => one.step > step || (one.step === step && (offset === 0 || one.fence !== fence));
    return steps.some((one) => one.text !== '' && isNew(one));
  }

  /** Reports that the latest turn has paused or ended. Call it with all items read. */
  async readState(turn: TurnState): Promise<void> {
    const { runId, hasEnded, pausedStep } = this.#place;
    if (turn.runId !== runId || hasEnded || turn.status === 'running') return;
    if (turn.status !== 'waiting_for_client_action') return this.#end(turn);
    if (pausedStep === turn.step) return;
    const pendingCalls = await readPendingCalls(this.#source, turn);
    // The items are newer than the state: results have been accepted in the meantime.
    if (pendingCalls.length === 0) return;
    this.#emit({ kind: 'turn.paused', runId: turn.runId, pendingCalls }, { pausedStep: turn.step });
  }

  /**
   * Whether the item starts the next turn. A message that was stored for a process that died belongs to a failed run
   * and can arrive during another turn. It starts no turn.
   */
  async #beginsTurn({ runId }: TimelineItem): Promise<boolean> {
    const { runId: before, hasEnded } = this.#place;
    if (before === null || hasEnded) return true;
    const turns = await readTurns(this.#source, [before, runId]);
    const current = turns.get(before);
    if (current && isActive(current)) return false;
    if (current) await this.#end(current);
    return true;
  }

  /** Reports the rest of a message that is stored now. */
  #completeText(step: number, text: string): void {
    const { offset } = this.#place;
    const isShorter = step === this.#place.step && text.length < offset;
    if (offset > 0 && (step > this.#place.step || isShorter)) this.#restart();
    if (text.length > this.#place.offset) this.#write(step, text, this.#place.fence);
  }

  async #end(turn: TurnState): Promise<void> {
    // Its text was not stored: the model failed, or its process died.
    if (this.#place.offset > 0) this.#restart();
    this.#emit({ kind: 'turn.ended', turn, reply: await readReply(this.#source, turn) }, { hasEnded: true });
  }

  #restart(): void {
    const { runId, step, offset } = this.#place;
    if (offset > 0) this.#emit({ kind: 'step.restarted', messageKey: messageKey(runId ?? '', step) }, { offset: 0 });
  }

  #write(step: number, text: string, fence: number): void {
    const { runId, offset } = this.#place;
    const delta = { messageKey: messageKey(runId ?? '', step), offset, text: text.slice(offset) };
    this.#emit({ kind: 'text.delta', ...delta }, { step, fence, offset: text.length });
  }

  #emit(change: TurnChange, moved: Partial<TurnPlace>): void {
    this.#place = { ...this.#place, ...moved };
    const cursor = this.#cursors.encode(this.#place);
    this.#events.push({ ...change, cursor, conversationId: this.#source.conversationId });
  }
}
