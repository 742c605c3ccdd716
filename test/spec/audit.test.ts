import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
let admin: string;
beforeAll(async () => {
  service = await startService();
  admin = await openSession(service, 'admin');
});
afterAll(() => service.close());

interface Entry {
  readonly action: string;
  readonly actorKind: string;
  readonly actorId: string | null;
  readonly subjectId: string | null;
  readonly environment: string | null;
  readonly details: object;
  readonly requestId: string;
}

async function read(filter: object): Promise<Entry[]> {
  const { body } = await service.graphql(
    `query ($filter: AuditFilter) { auditLog(first: 100, filter: $filter) { nodes {
      action actorKind actorId subjectId environment details requestId address occurredAt } totalCount } }`,
    { filter },
    { key: admin },
  );
  return body.data.auditLog.nodes;
}

describe('the audit log', () => {
  it('records who created, rotated and revoked a key, with the request ID', async () => {
    const created = await service.graphql(
      'mutation { createApiKey(input: { name: "A", scopes: [EVENTS_READ] }) { __typename ... on CreateApiKeyPayload { secret apiKey { apiKeyId } } ... on Error { code message path } } }',
    );
    const { apiKeyId: id } = created.body.data.createApiKey.apiKey;
    await service.graphql(
      'mutation ($id: ID!) { rotateApiKey(input: { id: $id }) { __typename ... on RotateApiKeyPayload { secret } ... on Error { code message path } } }',
      { id },
    );
    await service.graphql(
      'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { __typename ... on RevokeApiKeyPayload { apiKey { name } } ... on Error { code message path } } }',
      { id },
      { key: admin },
    );
    const entries = await read({ subjectId: id });
    expect(entries.map(({ action, actorKind }) => [action, actorKind])).toEqual([
      ['API_KEY_REVOKED', 'SESSION'],
      ['API_KEY_ROTATED', 'API_KEY'],
      ['API_KEY_CREATED', 'API_KEY'],
    ]);
    expect(entries[2]).toMatchObject({
      environment: 'LIVE',
      details: { name: 'A', scopes: ['events:read'] },
      requestId: created.headers.get('x-request-id'),
    });
    expect(JSON.stringify(entries)).not.toContain(created.body.data.createApiKey.secret);
  });

  it('records opened sessions and failed sign-ins', async () => {
    const attempt = (password: string) =>
      service.graphql(
        'mutation ($input: SignInInput!) { signIn(input: $input) { __typename ... on SignInPayload { sessionId } ... on Error { code message path } } }',
        { input: { email: service.owner.email, password } },
        { key: null },
      );
    const { sessionId } = (await attempt(service.owner.password)).body.data.signIn;
    await attempt('wrong');
    expect(await read({ subjectId: sessionId })).toMatchObject([{ action: 'SESSION_CREATED', actorKind: 'SESSION' }]);
    await expect
      .poll(() => read({ actions: ['SESSION_REFUSED'] }))
      .toMatchObject([{ actorKind: 'ANONYMOUS', actorId: null }]);
  });

  it('records a deletion and settings in the transaction of the change', async () => {
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'note', fields: { secret: 'x' } } });
    await service.send('DELETE', `/v1/resources/${body.data.id}`);
    expect(await read({ subjectId: body.data.id })).toMatchObject([
      { action: 'RESOURCE_DELETED', details: { type: 'note' } },
    ]);
    await service.send('POST', '/v1/workflow/1/trigger-settings', { body: { trigger_required: false } });
    expect(await read({ actions: ['WORKFLOW_TRIGGER_SETTINGS_CHANGED'] })).toMatchObject([
      { subjectId: '1', details: { trigger_required: false } },
    ]);
  });

  it('records the use of a key once an hour', async () => {
    for (let count = 0; count < 3; count += 1) await service.send('GET', '/v1/events', { key: service.keys.test });
    await expect.poll(async () => (await read({ actions: ['API_KEY_USED'] })).length).toBeGreaterThan(0);
    const used = await read({ actions: ['API_KEY_USED'] });
    expect(used.filter(({ environment }) => environment === 'TEST')).toHaveLength(1);
  });
});
