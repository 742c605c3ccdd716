import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const audits = serverAudits({ url: () => `${service.url}/graphql` });

describe('GraphQL over HTTP', () => {
  it('has 61 audits', () => {
    expect(audits).toHaveLength(61);
  });

  // Without credentials, because no audit reads more than the schema's name.
  it.each(audits.map((audit) => [`${audit.id} ${audit.name}`, audit] as const))('%s', async (_name, audit) => {
    expect(await audit.fn()).toMatchObject({ status: 'ok' });
  });
});
