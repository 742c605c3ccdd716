import type { HandlingMode, PresenceKind } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { type Participant, personOf } from './participant.ts';

/** Somebody who is in a conversation now, as one participant sees them. */
export interface PresentPerson {
  /** Null for the user of the conversation. */
  readonly displayName: string | null;
  readonly kind: PresenceKind;
  readonly isMe: boolean;
  readonly isTyping: boolean;
}

/** A row of the table that has not expired. */
export interface PresenceRow {
  readonly person: string;
  readonly kind: PresenceKind;
  readonly displayName: string | null;
  readonly isTyping: boolean;
}

/** Who is in a conversation, and who has it. */
export interface PresenceState {
  readonly handling: HandlingMode;
  readonly holderId: string | null;
  readonly holderName: string | null;
  readonly rows: readonly PresenceRow[];
}

/** The columns of {@link PresenceState} of the row `conversation`, without `rows`. */
export const HOLD_COLUMNS = Prisma.sql`conversation.handling::text AS handling, conversation.holder_id AS "holderId",
      conversation.handling_facts -> 'holder' ->> 'displayName' AS "holderName"`;

/** Whether the row types now, by the clock of the database. */
export const IS_TYPING = Prisma.sql`coalesce(typing_until > now(), false)`;

/**
 * Those whom a participant sees. People of the team see each other, and whether the user types. The user sees only the person
 * who has the conversation, while this person types, under the name that the user reads in messages.
 */
export function peopleFor(participant: Participant, state: PresenceState): PresentPerson[] {
  const me = personOf(participant);
  const holder = state.handling === 'member' ? state.holderId : null;
  const seen = participant.kind === 'user' ? state.rows.filter(isHolder) : state.rows.filter(isVisible);
  function isHolder({ person, kind, isTyping }: PresenceRow): boolean {
    return kind !== 'user' && isTyping && person === holder;
  }
  return seen.map(({ person, kind, displayName, isTyping }) => ({
    displayName: kind !== 'user' && person === holder ? (state.holderName ?? displayName) : displayName,
    kind,
    isMe: kind !== 'user' && person === me,
    isTyping,
  }));
}

/** A row of the user only says that the user types. */
function isVisible({ kind, isTyping }: PresenceRow): boolean {
  return kind !== 'user' || isTyping;
}
