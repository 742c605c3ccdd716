import { afterAll, beforeAll, describe, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';

let service: TestService;
let conversationId: string;
beforeAll(async () => {
  service = await startService();
  conversationId = (await service.agentTurn('Hello')).body.conversation_id;
});
afterAll(() => service.close());

const AFTER = 'after: "nonsense"';

describe('an invalid cursor', () => {
  it.each([
    ['eventAppended', () => AFTER],
    ['runEvents', () => AFTER],
    ['workspaceActivity', () => AFTER],
    ['conversationsChanged', () => AFTER],
    ['pendingActionsChanged', () => AFTER],
    ['conversationChanged', () => `conversationId: "${conversationId}", ${AFTER}`],
    ['turnEvents', () => `conversationId: "${conversationId}", ${AFTER}`],
  ])('of the feed %s is rejected with the advice to start now', async (field, args) => {
    const feed = await subscribe(service, `subscription { ${field}(${args()}) { cursor } }`, {}, service.key);
    expectGraphqlError(feed.rejection as HttpResponse, 'invalid_cursor', {
      param: 'after',
      message: /^after, or the header Last-Event-ID, is not a cursor .* Without a cursor the feed starts now\.$/,
    });
  });

  it('of a list is rejected with the advice to start from the beginning', async () => {
    const response = await service.graphql(`{ conversations(${AFTER}) { totalCount } }`);
    expectGraphqlError(response, 'invalid_cursor', { param: 'after', message: /start from the beginning\.$/ });
  });
});
