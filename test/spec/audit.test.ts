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
  it('tells who made, rotated and revoked a key, with the request', async () => {
    const made = await service.graphql(
      'mutation { createApiKey(input: { name: "A", scopes: ["events:read"] }) { secret apiKey { apiKeyId } } }',
    );
    const { apiKeyId: id } = made.body.data.createApiKey.apiKey;
    await service.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }', { id });
    await service.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { name } }', { id }, { key: admin });
    const entries = await read({ subjectId: id });
    expect(entries.map(({ action, actorKind }) => [action, actorKind])).toEqual([
      ['api_key.revoked', 'session'],
      ['api_key.rotated', 'api_key'],
      ['api_key.created', 'api_key'],
    ]);
    expect(entries[2]).toMatchObject({
      environment: 'live',
      details: { name: 'A', scopes: ['events:read'] },
      requestId: made.headers.get('x-request-id'),
    });
    expect(JSON.stringify(entries)).not.toContain(made.body.data.createApiKey.secret);
  });

  it('tells of sessions, opened and refused', async () => {
    const attempt = (password: string) =>
      service.graphql(
        'mutation ($input: SignInInput!) { signIn(input: $input) { sessionId } }',
        { input: { email: service.owner.email, password } },
        { key: null },
      );
    const { sessionId } = (await attempt(service.owner.password)).body.data.signIn;
    await attempt('wrong');
    expect(await read({ subjectId: sessionId })).toMatchObject([{ action: 'session.created', actorKind: 'session' }]);
    await expect
      .poll(() => read({ actions: ['session.refused'] }))
      .toMatchObject([{ actorKind: 'anonymous', actorId: null }]);
  });

  it('tells of a deletion and of settings, in the change itself', async () => {
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'note', fields: { secret: 'x' } } });
    await service.send('DELETE', `/v1/resources/${body.data.id}`);
    expect(await read({ subjectId: body.data.id })).toMatchObject([
      { action: 'resource.deleted', details: { type: 'note' } },
    ]);
    await service.send('POST', '/v1/workflow/1/trigger-settings', { body: { trigger_required: false } });
    expect(await read({ actions: ['workflow.trigger_settings_changed'] })).toMatchObject([
      { subjectId: '1', details: { trigger_required: false } },
    ]);
  });

  it('tells of the use of a key once an hour', async () => {
    for (let count = 0; count < 3; count += 1) await service.send('GET', '/v1/events', { key: service.keys.test });
    await expect.poll(async () => (await read({ actions: ['api_key.used'] })).length).toBeGreaterThan(0);
    const used = await read({ actions: ['api_key.used'] });
    expect(used.filter(({ environment }) => environment === 'test')).toHaveLength(1);
  });
});
