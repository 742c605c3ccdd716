import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { check, PUBLISH, publish, unpublish } from '../support/documents.ts';
import { callTool, connectMcp } from '../support/mcp-client.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey, openSession } from '../support/tenants.ts';

const QUERY = '{ resources { totalCount } }';
/** No other document has this text, so the trusted ID has one author. */
const UNIQUE = '{ resources { totalCount pageInfo { hasNextPage } } }';
const DELETE = 'mutation ($id: ID!) { deleteResource(input: { id: $id }) { __typename } }';
const CREATE = 'mutation ($input: CreateResourceInput!) { createResource(input: $input) { __typename } }';

let service: TestService;
let owner: string;
beforeAll(async () => {
  service = await startService({ trustedDocuments: 'prefer' });
  owner = await openSession(service, 'owner');
});
afterAll(() => service.close());

const attempt = (name: string, text: string, key: string, rules: object = {}) =>
  service.graphql(PUBLISH, { input: { name, text, ...rules } }, { key });

async function resultOfAttempt(name: string, text: string, key: string, rules: object = {}) {
  const response = await attempt(name, text, key, rules);
  return errorOf(response)?.code ?? response.body.data.publishDocument.__typename;
}

const stored = () => service.service.services.stores.prisma;

describe('fields of administrators, sessions, members and credentials', () => {
  it.each([
    [
      'mutation { updateMember(input: { userId: "00000000-0000-4000-8000-000000000001", role: OWNER }) { __typename } }',
    ],
    ['mutation { createApiKey(input: { name: "x", scopes: [RESOURCES_READ] }) { __typename } }'],
    ['mutation { publishDocument(input: { name: "x", text: "{ a }" }) { __typename } }'],
    ['mutation { signOut { __typename } }'],
    ['mutation { createSavedView(input: { name: "x", parameters: "" }) { __typename } }'],
    ['{ me { role } }'],
    ['{ apiKeys { nodes { name } } }'],
    ['{ node(id: "x") { ... on ApiKey { name } } }'],
    ['query ($id: ID!) { node(id: $id) { ...F } } fragment F on Member { id }'],
    ['{ nodes(ids: []) { ... on Node { ... on AuditEntry { id } } } }'],
    ['{ documents { nodes { versions { nodes { author { __typename } } } } } }'],
  ])('cannot be published by any author: %s', async (text) => {
    const { problems } = await check(service, 'closed_field', text);
    expect(problems[0].message).toMatch(/cannot be published/);
    expect(await resultOfAttempt('closed_field', text, owner, { acknowledgeBreaking: true })).toBe('invalid_request');
  });

  it('make a stored document of an earlier release unusable, with a reason', async () => {
    const { documentId } = await publish(service, 'old_document', QUERY);
    const text =
      'mutation { updateMember(input: { userId: "00000000-0000-4000-8000-000000000001", role: OWNER }) { __typename } }';
    await stored().documentVersion.create({
      data: {
        ...{ documentId, number: 2, text, trustedId: 'b'.repeat(64), authorKind: 'operator', createdAt: new Date() },
        environmentId: (await stored().document.findFirstOrThrow({ where: { id: documentId } })).environmentId,
      },
    });
    await stored().document.updateMany({ where: { id: documentId }, data: { version: 2, kind: 'mutation' } });
    const called = await service.send('POST', '/v1/x/old_document', { key: owner, body: {} });
    expect(errorOf(called)).toMatchObject({ code: 'not_found' });
    expect(errorOf(called)?.message).toMatch(/updateMember cannot be published.*Publish a new version/);
    const read = 'query ($by: DocumentBy!) { document(by: $by) { check { problems { message } } } }';
    const { body } = await service.graphql(read, { by: { id: documentId } });
    expect(body.data.document.check.problems[0].message).toMatch(/updateMember cannot be published/);
    await unpublish(service, documentId);
  });
});

describe('the author of a document', () => {
  it('publishes only root fields that the author may call', async () => {
    const key = await makeKey(service, { scopes: ['documents:write', 'documents:read', 'resources:read'] });
    expect(await resultOfAttempt('own_fields', DELETE, key)).toBe('forbidden');
    expect(await resultOfAttempt('own_fields', '{ resources { totalCount } workflows { totalCount } }', key)).toBe(
      'forbidden',
    );
    expect(await resultOfAttempt('own_fields', QUERY, key)).toBe('PublishDocumentPayload');
  });

  it('has the permission at each call too, on every API, until another author publishes the text again', async () => {
    const key = await makeKey(service);
    const { check: checked, documentId, version } = await publish(service, 'by_key', UNIQUE, { key });
    const callers = {
      rest: () => service.send('GET', '/v1/x/by_key', { key: owner }),
      trusted: () => service.send('POST', '/graphql', { key: owner, body: { documentId: checked.trustedId } }),
    };
    const codes = async () => [errorOf(await callers.rest())?.code, errorOf(await callers.trusted())?.code];
    expect(await codes()).toEqual([undefined, undefined]);
    const { id } = await stored()
      .documentVersion.findFirstOrThrow({ where: { documentId } })
      .then(({ authorId }) => ({
        id: String(authorId),
      }));
    for (const data of [
      { scopes: ['documents:write'] },
      { scopes: ['resources:read'], revokedAt: new Date() },
      { revokedAt: null, expiresAt: new Date(Date.now() - 1_000) },
    ]) {
      await stored().apiKey.update({ where: { id }, data });
      expect(await codes()).toEqual(['forbidden', 'forbidden']);
      expect(errorOf(await callers.rest())?.message).toMatch(/by_key cannot run\. Its author .* publish it again/);
    }
    const client = await connectMcp(service.url, { key: owner });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('by_key');
    await expect(callTool(client, 'by_key', {})).rejects.toMatchObject({
      message: expect.stringContaining('The document by_key cannot run.'),
      data: { code: 'forbidden', request_id: expect.any(String) },
    });
    const read = 'query ($by: DocumentBy!) { document(by: $by) { check { problems { message } } } }';
    const { body } = await service.graphql(read, { by: { id: documentId } });
    expect(body.data.document.check.problems[0].message).toMatch(/Its author is no longer a member/);
    expect(await publish(service, 'by_key', UNIQUE, { key: owner })).toMatchObject({ version: version + 1 });
    expect(await codes()).toEqual([undefined, undefined]);
  });

  it('loses it as a member who is demoted or removed', async () => {
    const developer = await openSession(service, 'developer');
    const text = 'mutation ($input: CreateResourceInput!) { createResource(input: $input) { __typename } }';
    const { documentId } = await publish(service, 'by_member', text, { key: developer });
    const { authorId } = await stored().documentVersion.findFirstOrThrow({ where: { documentId } });
    const call = () =>
      service.send('POST', '/v1/x/by_member', { key: owner, body: { input: { type: 'note', fields: {} } } });
    expect((await call()).status).toBe(200);
    await stored().membership.updateMany({ where: { userId: String(authorId) }, data: { role: 'viewer' } });
    expect(errorOf(await call())?.message).toMatch(/no longer has the scope resources:write/);
    await stored().session.deleteMany({ where: { userId: String(authorId) } });
    await stored().membership.deleteMany({ where: { userId: String(authorId) } });
    expect(errorOf(await call())?.message).toMatch(/no longer a member/);
  });
});

describe('a change of the effects of a document', () => {
  const acknowledged = { acknowledgeBreaking: true };

  it('is breaking, and needs an owner or admin', async () => {
    const developer = await openSession(service, 'developer');
    for (const name of ['query_to_change', 'add_to_delete']) {
      const before = name === 'query_to_change' ? QUERY : CREATE;
      await publish(service, name, before, { key: developer });
      const { breakingChanges } = await check(service, name, DELETE);
      expect(breakingChanges[0]).toMatch(/now runs deleteResource/);
      expect(await resultOfAttempt(name, DELETE, owner)).toBe('breaking_change');
      expect(await resultOfAttempt(name, DELETE, developer, acknowledged)).toBe('forbidden');
      expect(await resultOfAttempt(name, DELETE, service.keys.live, acknowledged)).toBe('forbidden');
      expect(await resultOfAttempt(name, DELETE, owner, acknowledged)).toBe('PublishDocumentPayload');
      // The way back has no effect that callers do not know.
      expect(await resultOfAttempt(name, DELETE.replace('$id', '$id'), developer, acknowledged)).toBe(
        'PublishDocumentPayload',
      );
      expect(await resultOfAttempt(name, QUERY, developer, acknowledged)).toBe('PublishDocumentPayload');
    }
  });

  it('needs one too if the document was unpublished in between', async () => {
    const developer = await openSession(service, 'developer');
    const { documentId } = await publish(service, 'published_twice', QUERY, { key: developer });
    await unpublish(service, documentId);
    expect(await resultOfAttempt('published_twice', DELETE, developer, acknowledged)).toBe('forbidden');
    expect(await resultOfAttempt('published_twice', DELETE, owner, acknowledged)).toBe('PublishDocumentPayload');
  });
});

describe('the annotations of a tool', () => {
  it('come from its root fields, and @tool cannot understate them', async () => {
    await publish(service, 'quiet_delete', DELETE.replace('($id: ID!)', '($id: ID!) @tool(destructive: false)'));
    await publish(service, 'loud_query', QUERY.replace('{', 'query @tool(destructive: true) {'));
    await publish(service, 'two_reads', '{ resources { totalCount } workflows { totalCount } }');
    await publish(
      service,
      'send_text',
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { __typename } }',
    );
    const client = await connectMcp(service.url, { key: owner });
    const { tools } = await client.listTools();
    const hints = (name: string) => {
      const { annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = {} } =
        tools.find((tool) => tool.name === name) ?? {};
      return [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
    };
    expect(hints('quiet_delete')).toEqual([false, true, true, false]);
    expect(hints('loud_query')).toEqual([true, true, true, false]);
    expect(hints('two_reads')).toEqual([true, false, true, false]);
    expect(hints('send_text')).toEqual([false, true, false, true]);
  });
});

describe('a text with a literal that a scalar rejects', () => {
  it('has a problem with its place', async () => {
    const text = '{ conversations(filter: { createdAt: { from: "x" } }) { totalCount } }';
    expect((await check(service, 'wrong_literal', text)).problems[0]).toMatchObject({
      message: expect.stringContaining('DateTime'),
      line: 1,
      column: 46,
    });
  });
});
