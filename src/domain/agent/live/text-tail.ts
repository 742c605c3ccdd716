import type { PubSub } from '../../../db/pub-sub.ts';
import { Tail, type TailRead } from '../../../db/tail.ts';
import { type LiveSource, MAX_PIECES, type PiecePlace, readPieces, type StoredPiece } from './live-text-sql.ts';
import type { LiveStep } from './live-turn.ts';
import { type LiveTurns, liveTopic } from './live-turns.ts';

const NOTHING: TailRead = { hasNewRows: false, hasMore: false, isHeldBack: false };

/** No run has this ID. */
const NO_PLACE: PiecePlace = { runId: '00000000-0000-0000-0000-000000000000', fence: 0, step: 0, position: 0 };

/** The text of a turn that runs in another process, read once for all watchers in this process. */
export class TextTail extends Tail {
  readonly #source: LiveSource;
  readonly #local: LiveTurns;
  #place = NO_PLACE;
  #steps: LiveStep[] = [];

  constructor(pubSub: PubSub, source: LiveSource, local: LiveTurns) {
    super(pubSub, [liveTopic(source.conversationId)]);
    this.#source = source;
    this.#local = local;
  }

  /** The stored text of a run's steps, oldest first. */
  stepsOf(runId: string): readonly LiveStep[] {
    this.requireReadable();
    return this.#place.runId === runId ? this.#steps : [];
  }

  protected async readNext(): Promise<TailRead> {
    if (this.#local.find(this.#source.conversationId)) return NOTHING;
    const pieces = await readPieces(this.#source, this.#place);
    for (const piece of pieces) this.#append(piece);
    return { hasNewRows: pieces.length > 0, hasMore: pieces.length === MAX_PIECES, isHeldBack: false };
  }

  #append({ runId, fence, step, position, isReasoning, text }: StoredPiece): void {
    const isSameRun = this.#place.runId === runId && this.#place.fence === fence;
    if (!isSameRun) this.#steps = [];
    const last = this.#steps.at(-1);
    const before = last?.step === step ? last : { fence, step, reasoning: '', text: '' };
    const written = isReasoning ? { reasoning: before.reasoning + text } : { text: before.text + text };
    this.#steps.splice(last?.step === step ? -1 : this.#steps.length, 1, { ...before, ...written });
    this.#place = { runId, fence, step, position };
  }
}
