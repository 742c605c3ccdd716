import { randomUUID } from 'node:crypto';
import { DEMO_AGENT_ID } from '../support/service.ts';
import type { Made, Sample } from './samples.ts';

/** Samples of the lists of conversations, and of the search. A search without matches is empty, not an error. */
export const CONVERSATION_LIST_SAMPLES: Readonly<Record<string, (made: Made) => Sample[]>> = {
  ListPendingActions: ({ weakKey }) => [
    { status: 200, path: '/v1/pending-actions?limit=1' },
    { status: 200, path: `/v1/pending-actions?deployment_id=${DEMO_AGENT_ID}&answerable_by=member` },
    { status: 400, path: '/v1/pending-actions?answerable_by=nobody' },
    { status: 401, path: '/v1/pending-actions', key: null },
    { status: 403, path: '/v1/pending-actions', key: weakKey },
  ],
  ListDeploymentConversations: (made) => {
    const path = `/v1/runner/${DEMO_AGENT_ID}/conversations`;
    return [
      { status: 200, path },
      { status: 200, path: `${path}?ticket=7&urgent=true&page_size=5` },
      { status: 400, path: `${path}?page=0` },
      { status: 401, path, key: null },
      { status: 403, path, key: made.weakKey },
      { status: 404, path: path.replace(DEMO_AGENT_ID, randomUUID()) },
    ];
  },
  ListConversations: (made) => [
    { status: 200, path: '/v1/runner/conversations?page_size=2' },
    { status: 400, path: '/v1/runner/conversations?page_size=101' },
    { status: 401, path: '/v1/runner/conversations', key: null },
    { status: 403, path: '/v1/runner/conversations', key: made.weakKey },
  ],
  SearchConversations: (made) => [
    ...searches('/v1/conversations?text=hello&order_by=cost&limit=1', made),
    { status: 400, path: '/v1/conversations?text=-' },
  ],
  TotalConversations: (made) => [
    ...searches('/v1/conversations/totals?status=active', made),
    { status: 400, path: '/v1/conversations/totals?status=nothing' },
  ],
  ExportConversations: (made) => [
    ...searches('/v1/conversations/export?order_by=message_count', made),
    { status: 400, path: '/v1/conversations/export?min_cost=-1' },
  ],
};

const searches = (path: string, { conversationId, weakKey }: Made): Sample[] => [
  { status: 200, path },
  { status: 200, path: `${path}&id=${conversationId}` },
  { status: 200, path: `${path}&id=${randomUUID()}` },
  { status: 401, path, key: 'sk_live_wrong' },
  { status: 403, path, key: weakKey },
];
