import { storableText } from '../settle/storable.ts';
import type { Piece } from './live-text-sql.ts';

/** The turn whose text is written. */
export interface WritingTurn {
  readonly runId: string;
  readonly fence: number;
  readonly conversation: { readonly id: string };
}

/** The text that one model step has written so far. */
export interface LiveStep {
  readonly fence: number;
  readonly step: number;
  readonly text: string;
}

interface OpenStep extends LiveStep {
  text: string;
  /** How much of the text the database has. */
  stored: number;
  /** The first half of a surrogate pair whose second half has not arrived. */
  half: string;
}

const ENDS_IN_HALF_A_PAIR = /[\ud800-\udbff]$/;

/** The text of a turn that runs in this process. Its watchers read it here; other processes read `live_text`. */
export class LiveTurn {
  readonly runId: string;
  readonly conversationId: string;
  readonly #fence: number;
  readonly #wrote: (isFirst: boolean) => void;
  readonly #steps: OpenStep[] = [];
  #hasRows = false;
  #isSealed = false;

  constructor(turn: WritingTurn, wrote: (isFirst: boolean) => void) {
    this.runId = turn.runId;
    this.conversationId = turn.conversation.id;
    this.#fence = turn.fence;
    this.#wrote = wrote;
  }

  /** The steps of this turn, oldest first. */
  get steps(): readonly LiveStep[] {
    return this.#steps;
  }

  /** Whether the database has text that the statement that stores the message must delete. */
  get hasRows(): boolean {
    return this.#hasRows;
  }

  /** Appends a piece of the model's text. */
  write(step: number, delta: string): void {
    this.#isSealed = false;
    const open = this.#openStep(step);
    const isFirst = open.text === '';
    const text = open.half + delta;
    open.half = ENDS_IN_HALF_A_PAIR.exec(text)?.[0] ?? '';
    // The stored message lacks the same characters.
    open.text += storableText(text.slice(0, text.length - open.half.length));
    if (open.text !== '') this.#wrote(isFirst);
  }

  /** The text that the database does not have. No text once the step is about to be stored. */
  unstored(): Piece[] {
    if (this.#isSealed) return [];
    const { runId } = this;
    return this.#steps.flatMap(({ fence, step, text, stored }) =>
      text.length > stored ? [{ runId, fence, step, position: stored, text: text.slice(stored) }] : [],
    );
  }

  /** Records that pieces were stored, or sent for storing. */
  markSent(): void {
    this.#hasRows = true;
  }

  markStored({ step, position, text }: Piece): void {
    const open = this.#steps.find((one) => one.step === step);
    // `seal` may have raised it meanwhile.
    if (open) open.stored = Math.max(open.stored, position + text.length);
  }

  /** Stores no more pieces of the steps so far: a statement stores their messages now. */
  seal(): void {
    this.#isSealed = true;
    for (const step of this.#steps) step.stored = step.text.length;
  }

  /** The statement that stored the message has deleted the rows. */
  markDeleted(): void {
    this.#hasRows = false;
  }

  #openStep(step: number): OpenStep {
    const last = this.#steps.at(-1);
    if (last?.step === step) return last;
    const open = { fence: this.#fence, step, text: '', stored: 0, half: '' };
    this.#steps.push(open);
    return open;
  }
}
