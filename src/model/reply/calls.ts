import { exactText, parseExact } from '../../contract/exact-json.ts';
import { LIMITS } from '../../contract/limits.ts';
import { unreadable } from '../unreadable.ts';
import { isJson, optionalText } from './fields.ts';
import type { ReplyCall } from './provider-reply.ts';

/** A piece of a call, as a provider sends it. */
export interface CallPiece {
  /** The place of the call in the reply. Undefined: the provider does not number its calls. */
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The next part of the arguments' JSON. */
  readonly input?: string | undefined;
  /** The complete arguments, which can arrive in pieces too. */
  readonly whole?: string | undefined;
  /** The provider's own data, for its adapter. */
  readonly metadata?: unknown;
}

interface OpenCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  input: string;
  readonly whole: string | undefined;
  metadata: unknown;
  /** Whether the input ends like an object. Its end is not read from `input`, which would join all pieces each time. */
  canBeComplete: boolean;
}

const CONTRADICTION = 'Its pieces did not arrive as one call, so it was not run. Call one tool at a time.';
const TOO_LONG = 'The calls of the reply are too long, so no call was run. Use shorter arguments.';
const NAMELESS = 'The call names no tool, so it was not run.';
const CUT = 'The reply ended within this call, so it was not run.';

/** The name of a call without a name: timelines and prompts need one. */
const UNNAMED = 'unnamed';

/** Each piece is compared with the calls so far. The engine runs far fewer of them in a step. */
const MOST_CALLS = LIMITS.draftCalls;

/** A provider that repeats the names of its calls needs a check at each piece. More characters are a contradiction. */
const MOST_CHECKED = 8 * LIMITS.callsLength;

/**
 * Joins the pieces of calls. A new ID starts a new call, also at the same index. A piece without an ID belongs to the
 * newest call of its index. Calls whose pieces contradict each other are refused: arguments of one call must never
 * reach another one.
 */
export class CallPieces {
  readonly #calls: OpenCall[] = [];
  #hasContradiction = false;
  #checkedLeft = MOST_CHECKED;
  #lengthLeft: number = LIMITS.callsLength;

  /** The characters of all pieces. */
  get length(): number {
    return LIMITS.callsLength - this.#lengthLeft;
  }

  add(received: CallPiece): void {
    const name = received.name?.slice(0, LIMITS.draftToolNameLength);
    this.#lengthLeft -= lengthOf(received);
    // Enough to name the calls in their refusal.
    const piece = this.#lengthLeft < 0 ? { index: received.index, id: received.id, name } : { ...received, name };
    const call = this.#continuedBy(piece);
    if (!call) {
      if (this.#calls.length >= MOST_CALLS) throw unreadable('The reply has too many calls.');
      const { index, id, input = '', whole, metadata } = piece;
      this.#calls.push({ index, id, name, input, whole, metadata, canBeComplete: endsObject(input) });
      return;
    }
    call.metadata ??= piece.metadata;
    // Some servers repeat the whole call at the end.
    if (piece.id !== undefined && piece.id === call.id && piece.name !== undefined && piece.input === call.input)
      return;
    if (call.name !== undefined && piece.name !== undefined && piece.name !== call.name) this.#hasContradiction = true;
    call.id ??= piece.id;
    call.name ??= piece.name;
    call.input += piece.input ?? '';
    if (piece.input?.trim()) call.canBeComplete = endsObject(piece.input);
  }

  /** The calls in order. `isCut`: the reply reached a limit. */
  finish(isCut: boolean): readonly ReplyCall[] {
    const named = this.#calls.filter((call) => call.name !== undefined);
    if (named.length === 0) return this.#calls.map(() => ({ name: UNNAMED, input: '', problem: NAMELESS }));
    const isContradictory = this.#hasContradiction || named.length < this.#calls.length || named.some(differs);
    return named.map(({ name = '', input: pieces, whole, metadata }) => {
      const input = pieces || (whole ?? '');
      const call = { name, input, ...(metadata !== undefined && { metadata }) };
      if (this.#lengthLeft < 0) return { name, input: '', problem: TOO_LONG };
      if (isContradictory) return { ...call, problem: CONTRADICTION };
      // No arguments at all would be those of a call without arguments.
      return isCut && input.trim() === '' ? { ...call, problem: CUT } : call;
    });
  }

  /** Undefined: the piece starts a call. */
  #continuedBy({ index, id, name, input = '' }: CallPiece): OpenCall | undefined {
    const ofIndex = (one: OpenCall) => index === undefined || one.index === index;
    const same = id === undefined ? undefined : this.#calls.findLast((one) => ofIndex(one) && one.id === id);
    const call = same ?? this.#calls.findLast(ofIndex);
    if (!call || (id !== undefined && call.id !== undefined && id !== call.id)) return undefined;
    if (id !== undefined && id === call.id) return call;
    if (name === undefined || call.name === undefined) return call;
    // Without an ID, only complete arguments say that the call before has ended.
    return this.#isComplete(call) && (name !== call.name || input.trim() !== '') ? undefined : call;
  }

  #isComplete({ input, canBeComplete }: OpenCall): boolean {
    if (!canBeComplete) return false;
    this.#checkedLeft -= input.length;
    if (this.#checkedLeft < 0) this.#hasContradiction = true;
    return this.#checkedLeft >= 0 && isJson(input);
  }
}

function lengthOf({ input = '', whole = '', metadata }: CallPiece): number {
  return input.length + whole.length + (metadata === undefined ? 0 : JSON.stringify(metadata).length);
}

function endsObject(text: string): boolean {
  return text.trimEnd().endsWith('}');
}

/** Whether the arguments arrived twice, and not the same ones. */
function differs({ input, whole }: OpenCall): boolean {
  if (whole === undefined || input === '') return false;
  return !isJson(input) || exactText(parseExact(input)) !== whole;
}

/** Arguments as the JSON that they should be. Some servers send them as an object. */
export function argumentsText(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? exactText(value) : optionalText(value);
}
