import type { SendOperation } from './all-operations.ts';
import { BRANCH_FIELDS, BRANCH_ROUTES } from './branch-operations.ts';
import type { HttpResponse } from './client.ts';
import type { Fixtures } from './fixtures.ts';
import { HANDLING_FIELDS, HANDLING_ROUTES, PRESENCE_FIELDS, TEAM_FIELDS } from './handling-operations.ts';

/** All lines of a subscription. The first line names its owner, so the check covers every line. */
function lines(document: string, variables: (fixtures: Fixtures) => object = () => ({})): SendOperation {
  return async (client, key, fixtures): Promise<HttpResponse> => {
    const headers = { accept: 'text/event-stream, application/json' };
    const response = await client.graphql(document, variables(fixtures), { key, headers });
    if (typeof response.body !== 'string') return response;
    const events = [...response.body.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? '{}'));
    const errors = events.flatMap((event) => event.errors ?? []);
    return { ...response, body: errors.length > 0 ? { errors } : { data: { lines: rowsOf(events) } } };
  };
}

interface LineEvent {
  readonly data?: Readonly<Record<string, { readonly type: string } | null>> | null;
}

/** Without the frame lines, which every caller gets. */
function rowsOf(events: readonly LineEvent[]): object[] {
  const lines_ = events.flatMap(({ data }) => Object.values(data ?? {}));
  return lines_.filter((line): line is { type: string } => line !== null && !/^(export|end)$/.test(line.type));
}

const byId = ({ conversationId }: Fixtures) => ({ id: conversationId });

/** The request of each root field of deletion and export for the fixtures. */
export const RIGHTS_FIELDS: Readonly<Record<string, SendOperation>> = {
  ...BRANCH_FIELDS,
  ...HANDLING_FIELDS,
  ...TEAM_FIELDS,
  ...PRESENCE_FIELDS,
  'Mutation.deleteConversation': (client, key, fixtures) =>
    client.graphql(
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }',
      byId(fixtures),
      { key },
    ),
  'Mutation.cancelRun': (client, key, { waiting: { conversationId } }) =>
    client.graphql(
      'mutation ($id: ID!) { cancelRun(input: { conversationId: $id }) { __typename ... on CancelRunPayload { conversation { name variables { name value } } } ... on Error { code message path } } }',
      { id: conversationId },
      { key },
    ),
  'Mutation.renameConversation': (client, key, fixtures) =>
    client.graphql(
      'mutation ($id: ID!) { renameConversation(input: { conversationId: $id, name: "Renamed" }) { __typename ... on RenameConversationPayload { conversation { variables { name value } } } ... on Error { code message path } } }',
      byId(fixtures),
      { key },
    ),
  'Mutation.updateConversation': (client, key, fixtures) =>
    client.graphql(
      'mutation ($id: ID!) { updateConversation(input: { conversationId: $id, meta: { seen: true } }) { __typename ... on UpdateConversationPayload { conversation { variables { name value } } } ... on Error { code message path } } }',
      byId(fixtures),
      { key },
    ),
  'Mutation.stopTurn': (client, key, { waiting: { conversationId } }) =>
    client.graphql(
      'mutation ($id: ID!) { stopTurn(input: { conversationId: $id }) { __typename ... on StopTurnPayload { conversation { name variables { name value } } } ... on Error { code message path } } }',
      { id: conversationId },
      { key },
    ),
  'Mutation.rateMessage': (client, key, { conversationId, replyId }) =>
    client.graphql(
      'mutation ($input: RateMessageInput!) { rateMessage(input: $input) { __typename ... on RateMessagePayload { conversation { name variables { name value } } } ... on Error { code message path } } }',
      { input: { conversationId, messageId: replyId, rating: 'UP' } },
      { key },
    ),
  'Subscription.conversationExport': lines('subscription ($id: ID!) { conversationExport(conversationId: $id) }', byId),
  'Subscription.conversationsExport': lines('subscription { conversationsExport }'),
  'Query.conversationTotals': (client, key) => client.graphql('{ conversationTotals { conversations } }', {}, { key }),
  'Subscription.environmentExport': lines('subscription { environmentExport }'),
  'Query.retention': (client, key) => client.graphql('{ retention { days } }', {}, { key }),
  'Mutation.setRetention': (client, key) =>
    client.graphql(
      'mutation { setRetention(input: { days: 30 }) { __typename ... on SetRetentionPayload { retention { days } } ... on Error { code message path } } }',
      {},
      { key },
    ),
};

/** The request of each REST route of deletion and export. */
export const RIGHTS_ROUTES: Readonly<Record<string, SendOperation>> = {
  ...BRANCH_ROUTES,
  ...HANDLING_ROUTES,
  'GET /v1/conversations/{conversation_id}/export': (client, key, { conversationId }) =>
    client.send('GET', `/v1/conversations/${conversationId}/export`, { key }),
  'GET /v1/conversations': (client, key) => client.send('GET', '/v1/conversations?limit=100', { key }),
  'GET /v1/conversations/totals': (client, key) => client.send('GET', '/v1/conversations/totals', { key }),
  'GET /v1/conversations/export': (client, key) => client.send('GET', '/v1/conversations/export', { key }),
  'GET /v1/export': (client, key) => client.send('GET', '/v1/export', { key }),
  'PATCH /v1/runner/conversation/{conversation_id}': (client, key, { conversationId }) =>
    client.send('PATCH', `/v1/runner/conversation/${conversationId}`, { key, body: { name: 'Renamed' } }),
  'POST /v1/runner/conversation/{conversation_id}/stop': (client, key, { waiting: { conversationId } }) =>
    client.send('POST', `/v1/runner/conversation/${conversationId}/stop`, { key }),
  'PUT /v1/runner/conversation/{conversation_id}/messages/{message_id}/rating': (
    client,
    key,
    { conversationId, replyId },
  ) =>
    client.send('PUT', `/v1/runner/conversation/${conversationId}/messages/${replyId}/rating`, {
      body: { rating: 'down', comment: 'No' },
      key,
    }),
  'GET /v1/runner/conversation/{conversation_id}/stream': (client, key, { waiting: { conversationId } }) =>
    client.send('GET', `/v1/runner/conversation/${conversationId}/stream`, { key, until: 'event: turn.paused' }),
};
