import { getNamedType, isInterfaceType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { nodeIdOf } from '../../src/operation/node-ids.ts';
import { isNode } from '../../src/operation/node-scope.ts';
import { type Client, fromManyAddresses } from '../support/client.ts';
import { createFixtures, type Fixtures } from '../support/fixtures.ts';
import { argumentsWith, documentOf, ID_INPUTS, type IdInput, paramOf, unknownId } from '../support/id-inputs.ts';
import { errorOf, globalId, publicIdOf } from '../support/results.ts';
import { subscription } from '../support/send-graphql.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

let service: TestService;
let fixtures: Fixtures;
let session: string;
/** An owner of another workspace. */
let stranger: string;
beforeAll(async () => {
  service = fromManyAddresses(await startService({ trustProxy: 'loopback' }));
  fixtures = await createFixtures(service);
  session = await openSession(service, 'owner');
  const { id: workspaceId } = await makeWorkspace(service);
  stranger = await openSessionOf(service, await makeMember(service, 'owner', { workspaceId }));
});
afterAll(() => service.close());

/** Global IDs of the first workspace, by type. */
const idsOf = ({ graph, nodeId, ...of }: Fixtures): Readonly<Record<string, string>> => ({
  ApiKey: of.key.nodeId,
  Budget: graph.budget,
  Conversation: nodeId,
  ConversationNote: graph.note,
  Deployment: of.workflow.nodes.deployment,
  Document: of.document.nodes.document,
  Event: of.resource.nodes.event,
  File: of.file.nodeId,
  Integration: of.hooks.nodes.integration,
  Invitation: graph.invitation,
  Member: of.member.nodeId,
  Message: graph.items.Message,
  Resource: of.resource.nodes.resource,
  Run: graph.run,
  Trigger: of.trigger.nodeId,
  User: graph.user,
  WebhookDelivery: of.hooks.nodes.delivery,
  WebhookEndpoint: of.hooks.nodes.endpoint,
  Workflow: of.workflow.nodes.workflow,
  Workspace: graph.workspace,
});

/** Everybody may read the name of a published deployment. */
const PUBLIC = ['widgetMeta'];

const typesOf = ({ last }: IdInput): readonly string[] => nodeIdOf(last)?.types ?? [];

async function send(client: Client, input: IdInput, id: string, key: string): Promise<object> {
  const { body } = await subscription(documentOf(input), () => argumentsWith(input, id))(client, key, fixtures);
  return body;
}

/** A response without what differs in each response. */
const comparable = (body: object): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => (/requestId|retryAfterMs/.test(name) ? undefined : value)));

describe('an argument or input field with the name of an ID', () => {
  it('exists on many fields', () => expect(ID_INPUTS.length).toBeGreaterThan(80));

  it.each(ID_INPUTS)('$at has the scalar ID and the types of its nodes', ({ last }) => {
    expect(getNamedType(last.type).name).toBe('ID');
    expect(nodeIdOf(last)?.form).toBeDefined();
    expect(typesOf({ last } as IdInput).filter((name) => !isNode(publicSchema.getType(name)))).toEqual([]);
  });

  it.each(ID_INPUTS.filter((input) => typesOf(input).length > 0))(
    '$at rejects the global ID of another type, and names the field',
    async (input) => {
      const other = globalId('AuditEntry', '1');
      expect(errorOf({ body: await send(service, input, other, session) })).toMatchObject({
        code: 'invalid_request',
        param: paramOf(input),
        message: expect.stringMatching(/must be an ID of the type \w+/),
      });
    },
  );

  it.each(ID_INPUTS.filter(({ root }) => root !== 'Subscription'))(
    '$at treats the object of another workspace as unknown, in both forms',
    async (input) => {
      const [type = 'Resource'] = typesOf(input);
      const form = nodeIdOf(input.last)?.form ?? '';
      const foreign = idsOf(fixtures)[type] ?? globalId(type, unknownId(form));
      const ids = [unknownId(form), globalId(type, unknownId(form)), publicIdOf(foreign), foreign];
      const bodies: unknown[] = [];
      for (const id of ids) bodies.push(comparable(await send(service, input, id, stranger)));
      const [unknown, globalUnknown, other, globalOther] = bodies;
      expect([globalUnknown, globalOther]).toEqual([unknown, other]);
      if (!PUBLIC.includes(input.field.name)) expect(other).toEqual(unknown);
    },
  );
});

describe('a look-up by ID', () => {
  const lookUps = ID_INPUTS.filter(({ root, at }) => root === 'Query' && at.endsWith('(id)'));

  it('exists for each kind of object', () => expect(lookUps.length).toBeGreaterThan(9));

  it.each(lookUps)('$at returns the object for its public ID and for its global ID', async (input) => {
    const [type = ''] = typesOf(input);
    const id = idsOf(fixtures)[type] ?? '';
    const others = input.field.name === 'trigger' ? { deploymentId: fixtures.deploymentId } : {};
    for (const form of [publicIdOf(id), id]) {
      const { body } = await service.graphql(documentOf(input), { id: form, ...others }, { key: session });
      expect(body).toEqual({ data: { it: { __typename: type } } });
    }
  });
});

describe('a field named id', () => {
  it('is the global ID of a node, on every type', () => {
    const others = Object.values(publicSchema.getTypeMap()).filter(
      (type) =>
        (isObjectType(type) || isInterfaceType(type)) &&
        type.getFields().id &&
        type.name !== 'Node' &&
        !type.getInterfaces().some(({ name }) => name === 'Node'),
    );
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});
