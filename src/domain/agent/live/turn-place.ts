import type { CursorCodec } from '../../../db/cursor.ts';
import type { Context } from '../../context.ts';
import { conversationCursors } from '../../conversations/conversation-cursors.ts';

/** What a reader of the feed has received. */
export interface TurnPlace {
  /** The revision of the last item of the timeline. */
  readonly revision: bigint;
  /** The run of the last turn. Null before the first. */
  readonly runId: string | null;
  readonly hasEnded: boolean;
  /** The step whose text is next, and the length of the text that was received. */
  readonly step: number;
  readonly offset: number;
  /** The CRC-32 of that text. After a recovery the step can be stored with another text. */
  readonly checksum: number;
  /** The length of the reasoning of that step that was received. */
  readonly thought: number;
  /** The fence of the run when that text was written. */
  readonly fence: number;
  /** The highest fence of the run whose text was received. Text of lower fences is void. */
  readonly owner: number;
  /** The step after which the last pause was reported. */
  readonly pausedStep: number;
}

/** The part of a place before the first text of a step. */
export const NO_TEXT = { offset: 0, checksum: 0, thought: 0 } as const satisfies Partial<TurnPlace>;

/** The part of a place before the first text of a turn. */
export const NO_OWNER = { fence: 0, owner: 0 } as const satisfies Partial<TurnPlace>;

/** The place of a reader that waits for the turn after a revision. */
export function placeAt(revision: bigint, runId: string | null): TurnPlace {
  return { revision, runId, hasEnded: true, step: 0, ...NO_TEXT, ...NO_OWNER, pausedStep: 0 };
}

/** Converts places to cursors. They belong to one conversation. */
export class TurnCursors {
  readonly #codec: CursorCodec;

  constructor(ctx: Pick<Context, 'services' | 'environment'>, conversationId: string) {
    this.#codec = conversationCursors(ctx, conversationId);
  }

  encode({ revision, runId, hasEnded, ...place }: TurnPlace): string {
    const { step, offset, checksum, thought, fence, owner, pausedStep } = place;
    const numbers = [hasEnded ? 1 : 0, step, offset, fence, pausedStep, thought, checksum, owner];
    return this.#codec.encode([String(revision), runId ?? '', ...numbers.map(String)]);
  }

  /**
   * The cursor of a page of the timeline is only a revision.
   * @throws {ServiceError} invalid_cursor
   */
  decode(cursor: string): TurnPlace | bigint {
    const [revision = '0', runId, ...numbers] = this.#codec.decodeOfFeed(cursor);
    if (runId === undefined) return BigInt(revision);
    const [hasEnded = 0, step = 0, offset = 0, fence = 0, pausedStep = 0, thought = 0, checksum = 0, owner = 0] =
      numbers.map(Number);
    const base = { revision: BigInt(revision), runId: runId || null, hasEnded: hasEnded === 1 };
    return { ...base, step, offset, checksum, thought, fence, owner, pausedStep };
  }
}
