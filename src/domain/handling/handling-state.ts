import type { AuthorKind, HandlingCause, HandlingExpiry, HandlingMode, Urgency } from '../../contract/statuses.ts';
import type { Caller } from '../caller.ts';

/** The person who wrote a message for the assistant, as the item stores it. `id` is that of the account or the API key. */
export interface Author {
  readonly displayName: string;
  readonly kind: AuthorKind;
  readonly id: string;
}

/** The ID of the account or the API key that answers if this caller does. Undefined: the caller is nobody of the team. */
export function personIdOf(caller: Caller): string | undefined {
  if (caller.kind === 'session' || caller.kind === 'app') return caller.user.id;
  return caller.kind === 'api_key' ? caller.id : undefined;
}

/** What a conversation keeps about its handling while it waits for a person or a person has it. */
export interface HandlingFacts {
  /** Why a person is needed. Null: nobody said it. */
  readonly reason: string | null;
  readonly urgency: Urgency;
  readonly cause: HandlingCause;
  /** How long the conversation waits, and what happens then. */
  readonly waitMinutes: number;
  readonly onExpiry: HandlingExpiry;
  /** Since when the conversation had waited when a person took it. Missing after their first message. */
  readonly waitedSince?: string;
  /** Of the person who has it. */
  readonly holder?: Author;
  /** How long that person has it without renewing the lease. */
  readonly holdMinutes?: number;
}

/** A change of the handling, as its item in the timeline stores it. */
export interface HandlingChange {
  readonly mode: HandlingMode;
  readonly cause: HandlingCause;
  readonly reason?: string | null;
  readonly urgency?: Urgency;
  /** Who took the conversation, or handed it back. */
  readonly author?: Author;
  /** What that person tells the assistant. */
  readonly summary?: string | null;
  readonly instructions?: string | null;
  /** A fork has the change of its source. */
  readonly isCopy?: true;
}
