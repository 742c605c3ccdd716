import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.ts';
import { EVERY_FIELD, EVERY_ROUTE, type Planted, plant, rowOf } from '../support/every-field.ts';
import { readHooks } from '../support/hook-rows.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeWorkspace, type Workspace } from '../support/tenants.ts';
import { turnWith } from '../support/turn-doors.ts';
import { WORKFLOW_DOORS } from '../support/workflow-rows.ts';

/** Root fields and routes that need no credentials. */
const PUBLIC: readonly string[] = [
  'Query.trigger',
  'GET /v1/runner/{deployment_id}/trigger/{trigger_id}',
  'Query.widgetMeta',
  'GET /v1/runner/{deployment_id}/widget-meta',
];

/** Doors to what belongs to the workspace: its other environment comes through them as well. */
const OF_WORKSPACE: readonly string[] = [
  'Query.modelPrices',
  'Mutation.setModelPrice',
  'Mutation.createTrigger',
  'POST /v1/runner/{deployment_id}/trigger',
  ...WORKFLOW_DOORS,
  'POST /v1/workflow/{workflow_id}/trigger-settings',
];

/** What everybody makes, or has, something of their own of. */
const OF_EVERYBODY: readonly string[] = [
  'Mutation.createResource',
  'POST /v1/resources',
  'Mutation.createApiKey',
  'Mutation.setModelPrice',
  'Query.apiKeys',
  'Mutation.connectIntegration',
  'Mutation.createWebhookEndpoint',
  'Mutation.createWorkflow',
  'Query.workflows',
];

let service: TestService;
let another: Workspace;
let planted: Planted;
beforeAll(async () => {
  service = await startService();
  another = await makeWorkspace(service);
  planted = await plant(service);
});
afterAll(() => service.close());

const OTHER_ENVIRONMENT = 'a key of the other environment';

const OUTSIDERS: readonly [who: string, keyOf: () => string][] = [
  [OTHER_ENVIRONMENT, () => service.keys.test],
  ['a live key of another workspace', () => another.keys.live],
  ['a test key of another workspace', () => another.keys.test],
];

/** Nothing: an error not_found, null, or a list without items. */
function expectNothing({ status, body }: Answer): void {
  const errors = body.errors ?? (body.error ? [{ extensions: body.error }] : []);
  for (const { extensions } of errors) expect(extensions).toMatchObject({ code: 'not_found' });
  if (errors.length > 0) return;
  expect(status).toBe(200);
  const values = body.data ? Object.values(body.data) : [body];
  for (const value of values) expect(itemsOf(value)).toEqual([]);
}

function itemsOf(value: unknown): unknown[] {
  if (value === null) return [];
  const list = Array.isArray(value) ? value : Object.values(value as object).find(Array.isArray);
  return list ? list.filter((item: unknown) => item !== null) : [value];
}

/** What the owner reads of all that was planted. */
async function readBack({ conversationId, waiting, resource, hooks }: Planted): Promise<unknown> {
  const paths = [
    `/v1/runner/conversation/${conversationId}/messages`,
    `/v1/runner/conversation/${waiting.conversationId}/messages`,
    `/v1/resources/${resource.resourceId}`,
    `/v1/events?resourceId=${resource.resourceId}`,
  ];
  const reads = await Promise.all(paths.map((path) => service.send('GET', path)));
  return [...reads.map(({ body }) => body), await readHooks(service, hooks)];
}

/** Reads that tell nothing of what is planted to anybody. */
const WITHOUT_MARKER: readonly string[] = [
  'Query.widgetMeta',
  'GET /v1/runner/{deployment_id}/widget-meta',
  'Query.usage',
  'Query.modelPrices',
];

/** What is for members, and the way in, have tests of their own. */
const DOORS = [...EVERY_FIELD, ...EVERY_ROUTE].filter(({ name, members }) => !members && name !== 'Mutation.signIn');

for (const door of DOORS) {
  describe(`WIRE 4: ${door.name}`, () => {
    it('asks for a scope, unless it is public', () => {
      expect(PUBLIC.includes(door.name) ? 'public' : door.scope).toEqual(expect.any(String));
    });

    it('gives its owner what was planted', async () => {
      // A door that writes is given something of its own to write to.
      const mine = door.reads ? planted : await plant(service);
      const { status, body } = await rowOf(door)(service, service.keys.live, mine);
      const code = body.errors?.[0]?.extensions.code ?? body.error?.code;
      // A result that is not in order is one that was looked at: for others there is no such call.
      if (door.name === 'Mutation.resumeAgentTurn') expect(code).toBe('invalid_tool_result');
      else if (door.name === 'Mutation.removeModelPrice') expect(code).toBe('not_found');
      else expect([status < 300, code]).toEqual([true, undefined]);
      const tellsOfIt = [mine.marker, mine.conversationId].some((text) => JSON.stringify(body).includes(text));
      if (door.reads) expect(tellsOfIt).toBe(!WITHOUT_MARKER.includes(door.name));
    });

    if (PUBLIC.includes(door.name)) {
      it('is answered to whoever knows the id, without credentials too', async () => {
        for (const key of [null, another.keys.live, service.keys.test]) {
          const { status, body } = await rowOf(door)(service, key, planted);
          expect([status, body.errors]).toEqual([200, undefined]);
        }
      });
      return;
    }

    const outsiders = OUTSIDERS.filter(([who]) => who !== OTHER_ENVIRONMENT || !OF_WORKSPACE.includes(door.name));
    it.each(outsiders)('gives %s nothing of it, and changes nothing', async (_who, keyOf) => {
      const before = await readBack(planted);
      const answer = await rowOf(door)(service, keyOf(), planted);
      if (!OF_EVERYBODY.includes(door.name)) expectNothing(answer);
      expect(JSON.stringify(answer.body)).not.toContain(planted.marker);
      expect(await readBack(planted)).toEqual(before);
    });
  });
}

describe('WIRE 3: an id of another workspace or environment is 404, never 403', () => {
  it.each(['v1', 'v2'])('a deployment of another workspace takes no turns by %s', async (version) => {
    const ask = (deployment: string, key: string) =>
      service.send('POST', `/${version}/runner/${deployment}/conversation`, { key, body: turnWith({}) });
    const { deploymentId } = another;
    expect((await ask(deploymentId, service.keys.live)).status).toBe(404);
    expect((await ask(deploymentId, service.keys.test)).status).toBe(404);
    expect((await ask(deploymentId, another.keys.live)).status).toBe(200);
    expect((await ask(deploymentId, another.keys.test)).status).toBe(200);
  });

  it("tells an id that is another's in the words of one that is nobody's", async () => {
    const read = async (id: string) => {
      const { body } = await service.send('GET', `/v1/runner/conversation/${id}/messages`, { key: another.keys.live });
      return body.error;
    };
    expect(await read(planted.conversationId)).toEqual(await read('00000000-0000-4000-8000-0000000000ff'));
  });
});
