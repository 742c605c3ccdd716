import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { createTrigger } from '../support/triggers.ts';

const COUNT = 100;

let service: TestService;
beforeAll(async () => {
  service = await startService({ maxQueryCost: 1_000_000 });
  for (let at = 0; at < COUNT; at += 10) await Promise.all(Array.from({ length: 10 }, () => startConversation()));
}, 300_000);
afterAll(() => service.close());

/** A deployment, and a conversation that one of its triggers started. */
async function startConversation(): Promise<void> {
  const { id } = await makeDeployment(service, {}, { kind: 'agent' });
  const trigger = await createTrigger(service, {}, id);
  const path = `/v2/runner/${id}/conversation`;
  const { body, status } = await service.send('POST', path, { body: { trigger_id: trigger.body.id } });
  expect(status).toBe(200);
  const file = { type: 'image', mime_type: 'image/png', file_uri: 'https://example.com/a.png' };
  const more = { conversation_id: body.conversation_id, content: [...textContent('More'), file] };
  expect((await service.send('POST', path, { body: more })).status).toBe(200);
}

async function statementsOf(query: string, first: number): Promise<string[]> {
  service.takeStatements();
  const { body } = await service.graphql(query, { first });
  // Background jobs send statements of other forms.
  const statements = service
    .takeStatements()
    .filter((text) => /^SELECT ("public"|COUNT)|unnest\(|percentile/.test(text));
  expect(body.errors).toBeUndefined();
  const [list] = Object.values(body.data) as { nodes: unknown[] }[];
  expect(list?.nodes).toHaveLength(first);
  return statements;
}

describe('the SQL statements of a page with three levels below it', () => {
  it.each([
    [
      'objects',
      `conversations(first: $first) { nodes { deployment { version { workflow { name draft { instructions } } } workflow { name } }
        trigger { deployment { name } workflowLog { run { conversation { name } } } }
        latestRun { version { number } conversation { deployment { name } } } environment { workspace { name } } } }`,
    ],
    [
      'lists',
      `conversations(first: $first) { nodes { runs(first: 2) { totalCount nodes { history(last: 3) { nodes { type run { status } } }
        workflowLogs { nodes { deployment { name } trigger { triggerId } } totalCount } } }
        messages(first: 2) { nodes { conversation { name } } totalCount } files { nodes { mimeType message { role } } totalCount } history(last: 1) { nodes { type } }
        workflowLogs { nodes { outcome } } } }`,
    ],
    [
      'lists of workflows',
      `workflows(first: $first) { nodes { versions(first: 2) { nodes { number } totalCount }
        deployments { nodes { usage(period: { from: "2026-11-01T00:00:00Z", to: "2026-11-30T00:00:00Z" }, groupBy: [MODEL]) { turns deployment { name } }
        conversations(first: 2) { nodes { latestRun { status } } totalCount }
        triggers(first: 2) { nodes { workflowLogs { nodes { outcome } } } } } totalCount } } }`,
    ],
    [
      'lists of versions, triggers and logs',
      `workflows(first: $first) { nodes { triggers(first: 2) { nodes { triggerId } totalCount }
        versions(first: 2) { nodes { deployments(first: 2) { nodes { workflowLogs(first: 2) { nodes { outcome } totalCount } } totalCount } } } } }`,
    ],
  ])('do not depend on its length, for %s', async (_name, selection) => {
    const query = `query ($first: Int!) { ${selection} }`;
    const ten = await statementsOf(query, 10);
    // The third request is compiled.
    for (const _ of [1, 2, 3]) {
      const hundred = await statementsOf(query, COUNT);
      expect(hundred.length, hundred.join('\n---\n')).toBe(ten.length);
    }
  });

  it('are one for each edge, and two for each list', async () => {
    const base = await statementsOf('query ($first: Int!) { conversations(first: $first) { nodes { name } } }', 10);
    const count = async (selection: string) => {
      const query = `query ($first: Int!) { conversations(first: $first) { nodes { ${selection} } } }`;
      return (await statementsOf(query, 10)).length - base.length;
    };
    expect(await count('deployment { name }')).toBe(1);
    expect(await count('deployment { version { number } }')).toBe(2);
    expect(await count('runs(first: 2) { nodes { status } }')).toBe(2);
    expect(await count('runs(first: 2) { nodes { status } totalCount }')).toBe(3);
  });

  it('return to each item its own objects', async () => {
    const { body } = await service.graphql(
      `{ conversations(first: 100) { nodes { conversationId deploymentId deployment { deploymentId }
        messages(first: 1) { nodes { conversation { conversationId } } } runs { nodes { conversation { conversationId } } totalCount } } } }`,
    );
    for (const { conversationId, deploymentId, deployment, messages, runs } of body.data.conversations.nodes) {
      expect(deployment).toEqual({ deploymentId });
      expect(messages.nodes).toEqual([{ conversation: { conversationId } }]);
      expect(runs).toEqual({ nodes: [1, 2].map(() => ({ conversation: { conversationId } })), totalCount: 2 });
    }
  });
});
