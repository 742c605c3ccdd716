import type { Answer } from './client.ts';
import type { Ask } from './every-field.ts';
import type { Planted } from './plant.ts';

/** What a subscription answers: the first line tells whose it is, so all of them are looked at. */
function lines(document: string, variables: (planted: Planted) => object = () => ({})): Ask {
  return async (client, key, planted): Promise<Answer> => {
    const answer = await client.graphql(document, variables(planted), { key });
    if (typeof answer.body !== 'string') return answer;
    const events = [...answer.body.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? '{}'));
    const errors = events.flatMap((event) => event.errors ?? []);
    return { ...answer, body: errors.length > 0 ? { errors } : { data: { lines: rowsOf(events) } } };
  };
}

interface LineEvent {
  readonly data?: Readonly<Record<string, { readonly type: string } | null>> | null;
}

/** Without the frame, which everybody gets. */
function rowsOf(events: readonly LineEvent[]): object[] {
  const told = events.flatMap(({ data }) => Object.values(data ?? {}));
  return told.filter((line): line is { type: string } => line !== null && !/^(export|end)$/.test(line.type));
}

const byId = ({ conversationId }: Planted) => ({ id: conversationId });

/** How each root field of deletion and export is asked for what was planted. */
export const RIGHTS_FIELDS: Readonly<Record<string, Ask>> = {
  'Mutation.deleteConversation': (client, key, planted) =>
    client.graphql(
      'mutation ($id: UUID!) { deleteConversation(conversationId: $id) { conversationId } }',
      byId(planted),
      { key },
    ),
  'Mutation.cancelRun': (client, key, { waiting: { conversationId } }) =>
    client.graphql(
      'mutation ($id: UUID!) { cancelRun(conversationId: $id) { name variables } }',
      { id: conversationId },
      { key },
    ),
  'Subscription.conversationExport': lines(
    'subscription ($id: UUID!) { conversationExport(conversationId: $id) }',
    byId,
  ),
  'Subscription.environmentExport': lines('subscription { environmentExport }'),
  'Query.retention': (client, key) => client.graphql('{ retention { days } }', {}, { key }),
  'Mutation.setRetention': (client, key) => client.graphql('mutation { setRetention(days: 30) { days } }', {}, { key }),
};

/** The same for each REST route. */
export const RIGHTS_ROUTES: Readonly<Record<string, Ask>> = {
  'GET /v1/conversations/{conversation_id}/export': (client, key, { conversationId }) =>
    client.send('GET', `/v1/conversations/${conversationId}/export`, { key }),
  'GET /v1/export': (client, key) => client.send('GET', '/v1/export', { key }),
};
