import { crc32 } from 'node:zlib';
import { type MessageContent, textOf } from '../../../contract/content.ts';
import type { HistoryInclude } from '../../../contract/statuses.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import { isIncluded } from '../../related/lists.ts';
import type { LiveStep } from './live-turn.ts';
import { isActive, messageKey, type TurnChange, type TurnEvent, type TurnState } from './turn-events.ts';
import { NO_OWNER, NO_TEXT, type TurnCursors, type TurnPlace } from './turn-place.ts';
import { readPendingCalls, readReply, readTurns, type TurnSource } from './turn-reads.ts';

/**
 * Converts what is stored and written to the events that a watcher has not received. It remembers the watcher's place.
 * The deltas of a message always add up to the text that is stored, whenever the watcher came. Reasoning is not stored, so
 * a watcher gets that of the steps that it sees running.
 */
export class TurnReader {
  readonly #source: TurnSource;
  readonly #cursors: TurnCursors;
  readonly #include: readonly HistoryInclude[];
  #place: TurnPlace;
  #events: TurnEvent[] = [];

  constructor(source: TurnSource, cursors: TurnCursors, place: TurnPlace, include: readonly HistoryInclude[] = []) {
    this.#source = source;
    this.#cursors = cursors;
    this.#include = include;
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
  async readItem(item: TimelineItem, stepsOf: (runId: string) => readonly LiveStep[]): Promise<void> {
    if (item.supersededBy !== null) return this.#supersede(item);
    if (isOfPerson(item)) return this.#readOfPerson(item);
    if (item.runId !== this.#place.runId && (await this.#beginsTurn(item))) {
      const { runId } = item;
      this.#emit(
        { kind: 'turn.started', runId },
        { runId, hasEnded: false, step: 1, ...NO_TEXT, ...NO_OWNER, pausedStep: 0 },
      );
    }
    const { runId, step } = item;
    const isReply = item.kind === 'message' && item.role === 'assistant';
    const { hasEnded, ...place } = this.#place;
    // The first item of a step: it is stored, so it writes no more.
    const isNext = runId === place.runId && step >= place.step && (isReply || (!hasEnded && step > 0));
    if (isNext) {
      const written = hasEnded ? [] : stepsOf(runId).filter((one) => one.step <= step && this.#isCurrent(one));
      this.#completeStep(step, written, isReply ? textOf(item.content as unknown as MessageContent) : '');
    }
    const key = isReply ? messageKey(runId, step) : null;
    const moved = isNext ? { step: step + 1, ...NO_TEXT } : {};
    this.#emit({ kind: 'item', item, messageKey: key }, { revision: item.revision, ...moved });
  }

  /** Reports what a person did. It belongs to no turn: its run is the latest one at that time. */
  #readOfPerson(item: TimelineItem): void {
    const { revision } = item;
    if (isIncluded(item, this.#include)) this.#emit({ kind: 'item', item, messageKey: null }, { revision });
    else this.#place = { ...this.#place, revision };
  }

  /** Reports an item that left the active line, together with those before it. It starts no turn. */
  #supersede(item: TimelineItem): void {
    const last = this.#events.at(-1);
    const items = last?.kind === 'items.superseded' ? [...last.items, item] : [item];
    if (items.length > 1) this.#events.pop();
    this.#emit({ kind: 'items.superseded', items }, { revision: item.revision });
  }

  /** Reports text that is written, but not stored as a message. Call it with all items of earlier steps read. */
  readText(steps: readonly LiveStep[]): void {
    for (const written of steps) {
      if (this.#place.runId === null || written.step < this.#place.step || !this.#isCurrent(written)) continue;
      if (!this.#continues(written)) this.#restart(written.step > this.#place.step);
      this.#think(written);
      if (written.text.length > this.#place.offset)
        this.#write(written.step, written.text, { fence: written.fence, owner: written.fence });
    }
  }

  /**
   * Whether `readText` would begin a text, or declare one void. All items that were stored before must be read first: the
   * message of the step before, and the results that the new step answers.
   */
  beginsText(steps: readonly LiveStep[]): boolean {
    const { offset, thought, step } = this.#place;
    const begins = (one: LiveStep) => one.step === step && (offset + thought === 0 || !this.#continues(one));
    return steps.some(
      (one) => one.text + one.reasoning !== '' && this.#isCurrent(one) && (one.step > step || begins(one)),
    );
  }

  /** Not the text of a process that does not know yet that another one has taken the run over. */
  #isCurrent({ fence }: LiveStep): boolean {
    return fence >= this.#place.owner;
  }

  /** Whether the step adds to what the watcher has. */
  #continues({ step, fence }: LiveStep): boolean {
    const { offset, thought, ...place } = this.#place;
    return step === place.step && (offset + thought === 0 || fence === place.fence);
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

  /** Reports the rest of a step that is stored now. `text` is that of its message, or empty. */
  #completeStep(step: number, written: readonly LiveStep[], text: string): void {
    const { offset, ...place } = this.#place;
    const isOther = written.some((one) => one.step === place.step && !this.#continues(one));
    const isVoid = offset > 0 && (step > place.step || crc32(text.slice(0, offset)) !== place.checksum);
    if (isOther || isVoid) this.#restart();
    for (const one of written) {
      if (one.step > this.#place.step || this.#continues(one)) this.#think(one);
    }
    if (text.length > this.#place.offset) this.#write(step, text);
  }

  async #end(turn: TurnState): Promise<void> {
    // Its text was not stored: the model failed, or its process died.
    if (this.#place.offset > 0) this.#restart();
    this.#emit({ kind: 'turn.ended', turn, reply: await readReply(this.#source, turn) }, { hasEnded: true });
  }

  /**
   * `isLater`: a later step writes. The reasoning of a step without a message is complete. The text that follows gets
   * cursors of the next attempt, because the same text can be written again.
   */
  #restart(isLater = false): void {
    const { runId, step, offset, thought, fence } = this.#place;
    if (offset === 0 && (isLater || thought === 0)) return;
    const moved = { ...NO_TEXT, fence: fence + 1 };
    this.#emit({ kind: 'step.restarted', messageKey: messageKey(runId ?? '', step) }, moved);
  }

  /** Reports reasoning that the watcher does not have. */
  #think({ step, fence, reasoning }: LiveStep): void {
    const { runId, ...place } = this.#place;
    const offset = step === place.step ? place.thought : 0;
    if (reasoning.length <= offset) return;
    const delta = { messageKey: messageKey(runId ?? '', step), offset, text: reasoning.slice(offset) };
    this.#emit({ kind: 'reasoning.delta', ...delta }, { step, fence, owner: fence, thought: reasoning.length });
  }

  #write(step: number, text: string, written: Partial<TurnPlace> = {}): void {
    const { runId, offset, ...place } = this.#place;
    const delta = { messageKey: messageKey(runId ?? '', step), offset, text: text.slice(offset) };
    const thought = step === place.step ? place.thought : 0;
    const checksum = crc32(delta.text, place.checksum);
    this.#emit({ kind: 'text.delta', ...delta }, { step, ...written, thought, offset: text.length, checksum });
  }

  #emit(change: TurnChange, moved: Partial<TurnPlace>): void {
    this.#place = { ...this.#place, ...moved };
    const cursor = this.#cursors.encode(this.#place);
    this.#events.push({ ...change, cursor, conversationId: this.#source.conversationId });
  }
}

function isOfPerson({ author, kind }: TimelineItem): boolean {
  return author !== null || kind === 'handling';
}
