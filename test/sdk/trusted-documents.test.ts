import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustedDocuments: 'only' });
});
afterAll(() => service.close());

const openFeeds = async () => {
  const { body } = await service.send('GET', '/metrics');
  return Number(/^parley_subscriptions (\d+)$/m.exec(body)?.[1]);
};

describe('the SDK with a service that accepts trusted documents only', () => {
  it('follows a conversation with its own documents', async () => {
    const agent = clientFor(service).createAgent();
    const started = await agent.start({ content: 'Hello' });
    await until(async () => (await openFeeds()) === 1);
    await service.agentTurn('From elsewhere', { conversation_id: started.conversationId });
    await until(async () => textsOf(agent.getState()).includes('You said: From elsewhere'));
    agent.close();
    expect((await service.graphql('{ me { role } }')).body.errors[0].extensions.code).toBe('INVALID_REQUEST');
  });
});
