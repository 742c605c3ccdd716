import type { PubSub } from '../../../db/pub-sub.ts';
import { Tail, type TailRead } from '../../../db/tail.ts';
import type { Context } from '../../context.ts';
import { conversationNotFound, findConversation } from '../../conversations/reads.ts';
import { Follower } from '../../events/follower.ts';
import { presenceTopic } from '../../handling/presence-topic.ts';
import { participantOf } from './participant.ts';
import {
  HOLD_COLUMNS,
  IS_TYPING,
  type PresenceRow,
  type PresenceState,
  type PresentPerson,
  peopleFor,
} from './present-people.ts';

/** Those who are in a conversation. */
export interface PresenceChange {
  readonly people: readonly PresentPerson[];
}

interface FollowedPresence {
  readonly conversationId: string;
  readonly asUser?: boolean | null | undefined;
}

/**
 * Follows who is in a conversation: first those who are there now, then each change that the caller sees.
 * @throws {ServiceError} forbidden; not_found, later too, when the conversation is deleted
 */
export async function followPresence(
  ctx: Context,
  { conversationId, asUser }: FollowedPresence,
): Promise<AsyncIterableIterator<PresenceChange>> {
  const participant = participantOf(ctx, { asUser: asUser ?? false, scope: 'conversations:read' });
  const { services, environment, sql } = ctx;
  await findConversation(ctx, { conversationId }, { select: { id: true } });
  const { tail, subscribe } = services.stores.tails.get(
    ['presence', environment.id, conversationId],
    () => new PresenceTail(services.stores.pubSub, { conversationId, environmentId: environment.id, sql }),
  );
  let shown: string | undefined;
  return new Follower(subscribe, async () => {
    if (shown === undefined) await tail.refresh();
    const people = peopleFor(participant, tail.state);
    const text = JSON.stringify(people);
    if (text === shown) return [];
    shown = text;
    return [{ people }];
  });
}

interface PresenceSource {
  readonly conversationId: string;
  readonly environmentId: string;
  readonly sql: Context['sql'];
}

type ReadRow = PresenceRow & { readonly leftMs: number };

/** Who is in a conversation, read once for all subscribers in this process. It reads again when a report expires. */
class PresenceTail extends Tail {
  readonly #source: PresenceSource;
  #state: PresenceState | undefined;
  #text = '';

  constructor(pubSub: PubSub, source: PresenceSource) {
    // The other topic says that another person has the conversation, that its person has sent a message, and that it was deleted.
    super(pubSub, [presenceTopic(source.conversationId), source.conversationId]);
    this.#source = source;
  }

  /** @throws {ServiceError} not_found if the conversation was deleted */
  get state(): PresenceState {
    this.requireReadable();
    if (!this.#state) throw new Error('the state is read before it is followed');
    return this.#state;
  }

  protected async readNext(): Promise<TailRead> {
    const { conversationId, environmentId, sql } = this.#source;
    const [read] = await sql.rows<Omit<PresenceState, 'rows'> & { readonly rows: readonly ReadRow[] }>`
      SELECT ${HOLD_COLUMNS}, coalesce((
          SELECT jsonb_agg(jsonb_build_object(
            'person', person, 'kind', kind, 'displayName', display_name, 'isTyping', ${IS_TYPING}, 'leftMs', ceil(1000 * extract(
              epoch FROM CASE WHEN ${IS_TYPING} THEN least(typing_until, seen_until) ELSE seen_until END - now()))) ORDER BY person)
          FROM conversation_presence p
          WHERE p.conversation_id = conversation.id AND p.environment_id = conversation.environment_id AND p.seen_until > now()),
        '[]') AS rows
      FROM conversation WHERE id = ${conversationId}::uuid AND environment_id = ${environmentId}::uuid`;
    if (!read) throw conversationNotFound();
    const rows = read.rows.map(({ leftMs: _left, ...row }) => row);
    const state = { ...read, rows };
    const text = JSON.stringify(state);
    const hasNewRows = text !== this.#text;
    this.#state = state;
    this.#text = text;
    const againInMs = Math.min(...read.rows.map(({ leftMs }) => leftMs));
    return { hasNewRows, hasMore: false, isHeldBack: false, ...(read.rows.length > 0 && { againInMs }) };
  }
}
