import { storableText } from '../../../contract/storable-text.ts';
import type { Piece } from './live-text-sql.ts';

/** The turn whose text is written. */
export interface WritingTurn {
  readonly runId: string;
  readonly fence: number;
  readonly conversation: { readonly id: string };
}

/** What one model step has written so far. */
export interface LiveStep {
  readonly fence: number;
  readonly step: number;
  /** The reasoning, if the workflow shows it. */
  readonly reasoning: string;
  readonly text: string;
}

type Kind = 'reasoning' | 'text';

interface OpenStep extends LiveStep {
  reasoning: string;
  text: string;
  /** What the database does not have, in the order of writing. */
  unstored: Piece[];
  /** The length of all pieces. */
  length: number;
  /** The first half of a surrogate pair whose second half has not arrived. */
  readonly half: Record<Kind, string>;
}

const ENDS_IN_HALF_A_PAIR = /[\ud800-\udbff]$/;

/** The text of a turn that runs in this process. Its watchers read it here; other processes read `live_text`. */
export class LiveTurn {
  readonly runId: string;
  readonly conversationId: string;
  readonly #environmentId: string;
  readonly fence: number;
  readonly #wrote: (isFirst: boolean) => void;
  readonly #steps: OpenStep[] = [];
  #hasRows = false;
  #isSealed = false;

  constructor(environmentId: string, { runId, fence, conversation }: WritingTurn, wrote: (isFirst: boolean) => void) {
    this.#environmentId = environmentId;
    this.runId = runId;
    this.conversationId = conversation.id;
    this.fence = fence;
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
    this.#append('text', step, delta);
  }

  /** Appends a piece of the model's reasoning. */
  think(step: number, delta: string): void {
    this.#append('reasoning', step, delta);
  }

  #append(kind: Kind, step: number, delta: string): void {
    this.#isSealed = false;
    const open = this.#openStep(step);
    const isFirst = open[kind] === '';
    const written = open.half[kind] + delta;
    const half = ENDS_IN_HALF_A_PAIR.exec(written)?.[0] ?? '';
    open.half[kind] = half;
    // The stored message lacks the same characters.
    const text = storableText(written.slice(0, written.length - half.length));
    if (text === '') return;
    open[kind] += text;
    this.#addPiece(open, { text, isReasoning: kind === 'reasoning' });
    this.#wrote(isFirst);
  }

  /** Text of the same kind joins the last piece. */
  #addPiece(open: OpenStep, { text, isReasoning }: Pick<Piece, 'text' | 'isReasoning'>): void {
    const last = open.unstored.at(-1);
    if (last?.isReasoning === isReasoning) open.unstored.splice(-1, 1, { ...last, text: last.text + text });
    else {
      const { fence, step, length: position } = open;
      const place = { environmentId: this.#environmentId, runId: this.runId };
      open.unstored.push({ ...place, fence, step, position, isReasoning, text });
    }
    open.length += text.length;
  }

  /** The text that the database does not have. No text once the step is about to be stored. */
  unstored(): Piece[] {
    return this.#isSealed ? [] : this.#steps.flatMap(({ unstored }) => unstored);
  }

  /** Records that pieces were stored, or sent for storing. */
  markSent(): void {
    this.#hasRows = true;
  }

  markStored(stored: Piece): void {
    const open = this.#steps.find((one) => one.step === stored.step);
    if (!open) return;
    const end = stored.position + stored.text.length;
    // A piece can have grown meanwhile.
    open.unstored = open.unstored.flatMap((piece) => {
      const rest = piece.text.slice(Math.max(0, end - piece.position));
      return rest === '' ? [] : [{ ...piece, position: piece.position + piece.text.length - rest.length, text: rest }];
    });
  }

  /** Stores no more pieces of the steps so far: a statement stores their messages now. */
  seal(): void {
    this.#isSealed = true;
    for (const step of this.#steps) step.unstored = [];
  }

  /** The statement that stored the message has deleted the rows. */
  markDeleted(): void {
    this.#hasRows = false;
  }

  #openStep(step: number): OpenStep {
    const last = this.#steps.at(-1);
    if (last?.step === step) return last;
    const open: OpenStep = {
      ...{ fence: this.fence, step, reasoning: '', text: '' },
      ...{ unstored: [], length: 0, half: { reasoning: '', text: '' } },
    };
    this.#steps.push(open);
    return open;
  }
}
