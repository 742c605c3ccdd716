import { z } from 'zod';
import { LIMITS } from '../../../contract/limits.ts';
import { isForeignKeyError } from '../../../db/error-codes.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { SET_PRESENCE } from '../../../shapes/conversations.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { ownedBy } from '../../access/reach.ts';
import type { Context } from '../../context.ts';
import { conversationNotFound } from '../../conversations/reads.ts';
import { presenceTopic } from '../../handling/presence-topic.ts';
import { parseInput } from '../../input.ts';
import { type Participant, participantOf, personOf } from './participant.ts';
import {
  HOLD_COLUMNS,
  IS_TYPING,
  type PresenceRow,
  type PresenceState,
  type PresentPerson,
  peopleFor,
} from './present-people.ts';

const { isTyping, isOpen, asUser } = SET_PRESENCE.fields;

const presenceInput = z.object(rulesOf({ isTyping, isOpen, asUser }));

/**
 * Stores that the caller has a conversation open or types in it, until the report expires. Returns who else is in it. One
 * statement, which writes at most the row of the caller: nothing for a user whom the assistant answers. It also renews the lease of
 * the person who has the conversation.
 * @throws {ServiceError} not_found, invalid_request, forbidden
 */
export async function setPresence(
  ctx: Context,
  { conversationId, ...input }: { readonly conversationId: string } & object,
): Promise<PresentPerson[]> {
  const report = parseInput(presenceInput, input);
  const participant = participantOf(ctx, { asUser: report.asUser ?? false, scope: 'conversations:write' });
  const types = report.isTyping ?? false;
  const isPresent = participant.kind === 'user' ? types : (report.isOpen ?? true);
  const write = isPresent ? upsert(ctx, participant, types) : remove(ctx, conversationId, participant);
  const renewal = isPresent && participant.kind !== 'user' ? renewHold(ctx, participant.id) : Prisma.empty;
  const [stored] = await storedState(ctx, conversationId, { write, renewal }).catch((error: unknown) => {
    // The conversation was deleted at this moment.
    throw isForeignKeyError(error) ? conversationNotFound() : error;
  });
  if (!stored) throw conversationNotFound();
  const { written, ...before } = stored;
  const others = before.rows.filter(({ person }) => person !== personOf(participant));
  const own = isPresent && written > 0 ? [rowOf(participant, types)] : [];
  const known = before.rows.find(({ person }) => person === personOf(participant));
  const hasChanged = (known === undefined) !== (own.length === 0) || (known && known.isTyping !== types);
  // A renewal changes nothing that anybody sees: followers read again when the former report expires.
  if (written > 0 && hasChanged) ctx.services.stores.pubSub.publish(presenceTopic(conversationId));
  return peopleFor(participant, { ...before, rows: [...others, ...own] });
}

/** The state before the statement. `written`: rows that it wrote. */
type Stored = PresenceState & { readonly written: number };

function storedState(
  ctx: Context,
  conversationId: string,
  { write, renewal }: { readonly write: Prisma.Sql; readonly renewal: Prisma.Sql },
): Promise<Stored[]> {
  const own = Prisma.sql`environment_id = ${ctx.environment.id}::uuid`;
  return ctx.sql.rows<Stored>`
    WITH target AS (
      SELECT id, environment_id, handling, holder_id, handling_facts FROM conversation
      WHERE id = ${conversationId}::uuid AND ${own}${ownedBy(ctx.caller)}
    ), before AS (
      SELECT person, kind, display_name, ${IS_TYPING} AS types FROM conversation_presence
      WHERE conversation_id = ${conversationId}::uuid AND ${own} AND seen_until > now()
    ), written AS (${write})${renewal}
    SELECT ${HOLD_COLUMNS}, (SELECT count(*) FROM written)::int AS written, coalesce((
        SELECT jsonb_agg(jsonb_build_object('person', person, 'kind', kind, 'displayName', display_name, 'isTyping', types) ORDER BY person)
        FROM before), '[]') AS rows
    FROM target AS conversation`;
}

/**
 * The open page of the person who has the conversation keeps it for them. The row is written only when a quarter of the time is
 * over, because a page reports every few seconds. It does not take the conversation again once the lease has expired.
 */
function renewHold({ environment }: Context, personId: string): Prisma.Sql {
  const held = Prisma.sql`make_interval(mins => (c.handling_facts ->> 'holdMinutes')::int)`;
  return Prisma.sql`, renewed AS (
      UPDATE conversation c SET handling_until = now() + ${held}, updated_at = c.updated_at
      FROM target WHERE c.id = target.id AND c.environment_id = ${environment.id}::uuid
        AND c.handling = 'member' AND c.holder_id = ${personId}
        AND c.handling_until > now() AND c.handling_until < now() + 0.75 * ${held}
    )`;
}

/** Writes no row beyond the limit of a conversation, and no row of a user whom the assistant answers. */
function upsert({ environment }: Context, participant: Participant, types: boolean): Prisma.Sql {
  const { kind } = participant;
  const person = personOf(participant);
  const name = participant.kind === 'user' ? null : participant.displayName;
  const typingUntil = types ? until(LIMITS.typingSeconds) : Prisma.sql`NULL::timestamptz`;
  const isUser = kind === 'user';
  const seenUntil = isUser ? typingUntil : until(LIMITS.presenceSeconds);
  const answered = isUser ? Prisma.sql` AND handling <> 'assistant'` : Prisma.empty;
  return Prisma.sql`
      INSERT INTO conversation_presence (environment_id, conversation_id, person, kind, display_name, typing_until, seen_until)
      SELECT ${environment.id}::uuid, id, ${person}, ${kind}::presence_kind, ${name}, ${typingUntil}, ${seenUntil} FROM target
      WHERE (${isUser} OR EXISTS (SELECT FROM before WHERE person = ${person})
        OR (SELECT count(*) FROM before WHERE kind <> 'user') < ${LIMITS.presentPeople})${answered}
      ON CONFLICT (environment_id, conversation_id, person) DO UPDATE
        SET display_name = excluded.display_name, typing_until = excluded.typing_until, seen_until = excluded.seen_until
      RETURNING person`;
}

function remove({ environment }: Context, conversationId: string, participant: Participant): Prisma.Sql {
  return Prisma.sql`
      DELETE FROM conversation_presence
      WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${environment.id}::uuid
        AND person = ${personOf(participant)} AND EXISTS (SELECT FROM target)
      RETURNING person`;
}

function until(seconds: number): Prisma.Sql {
  return Prisma.sql`now() + make_interval(secs => ${seconds}::int)`;
}

function rowOf(participant: Participant, types: boolean): PresenceRow {
  const displayName = participant.kind === 'user' ? null : participant.displayName;
  return { person: personOf(participant), kind: participant.kind, displayName, isTyping: types };
}
