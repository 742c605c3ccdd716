import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
let id: string;
beforeAll(async () => {
  service = await startService();
  ({ id } = await makeDeployment(service, { titleModel: true }));
});
afterAll(() => service.close());

const turn = (fields: object) => service.send('POST', `/v1/runner/${id}/conversation`, { body: fields });

async function nameOf(conversationId: string): Promise<string> {
  const query = 'query ($id: ID!) { conversation(id: $id) { name } }';
  return (await service.graphql(query, { id: conversationId })).body.data.conversation.name;
}

describe('a generated title', () => {
  it('follows the first reply, with folded spaces and cut at a word', async () => {
    const { body } = await turn({ content: textContent('Good morning to everybody who is here') });
    expect(body.name).toBe('Good morning to everybody who is here');
    // The demo model's reply to the transcript.
    await expect.poll(() => nameOf(body.conversation_id)).toMatch(/^You said: User: Good morning to everybody/);
    expect((await nameOf(body.conversation_id)).length).toBeLessThanOrEqual(60);
  });

  it('is generated once, even if the first turn failed', async () => {
    const failed = await turn({ content: textContent('/fail') });
    const { conversation_id } = failed.body.error;
    await turn({ conversation_id, content: textContent('Hello') });
    await expect.poll(() => nameOf(conversation_id)).toMatch(/^You said: User: Hello/);
    await turn({ conversation_id, content: textContent('Another matter') });
    await expect.poll(() => service.service.services.process.runs.activeCount).toBe(0);
    expect(await nameOf(conversation_id)).toMatch(/^You said: User: Hello/);
  });
});
