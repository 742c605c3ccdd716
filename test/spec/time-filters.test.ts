import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
/** When the only event occurred. */
let at: string;
beforeAll(async () => {
  service = await startService();
  await service.send('POST', '/v1/resources', { body: { type: 'ticket', fields: {} } });
  at = (await service.send('GET', '/v1/events')).body.data[0].occurred_at;
});
afterAll(() => service.close());

const count = async (query: string) => (await service.send('GET', `/v1/events?${query}`)).body.data.length;

describe('from and to of lists', () => {
  it('are exact below a millisecond', async () => {
    const after = at.replace('Z', '0001Z');
    expect([await count(`from=${at}`), await count(`from=${after}`)]).toEqual([1, 0]);
    expect([await count(`to=${at}`), await count(`to=${after}`)]).toEqual([0, 1]);
  });

  it('can be a date, which is midnight UTC, and a leap second', async () => {
    const day = at.slice(0, 10);
    expect([await count(`from=${day}`), await count(`to=${day}`)]).toEqual([1, 0]);
    expect(await count('from=2016-12-31T23:59:60Z')).toBe(1);
    const document = 'query ($from: DateTime) { events(filter: { occurredAt: { from: $from } }) { totalCount } }';
    const { body } = await service.graphql(document, { from: day });
    expect(body.data.events.totalCount).toBe(1);
  });

  it('are 400 with a hint if the + of an offset is not encoded', async () => {
    const response = await service.send('GET', '/v1/events?from=2026-01-31T09:30:00+02:00');
    expectError(response, 'invalid_request', { param: 'from', message: '%2B' });
    expect((await service.send('GET', '/v1/events?from=2026-01-31T09:30:00%2B02:00')).status).toBe(200);
  });

  it.each(['yesterday', '2026-02-30', '2026-01-31T12:00:60Z'])('are 400 with examples if they are %s', async (text) => {
    const message = 'must be an ISO 8601 date-time like 2026-01-31T09:30:00Z, or a date like 2026-01-31';
    const response = await service.send('GET', `/v1/events?to=${text}`);
    expectError(response, 'invalid_request', { param: 'to', message });
    const inline = await service.graphql(`{ events(filter: { occurredAt: { to: "${text}" } }) { totalCount } }`);
    expectGraphqlError(inline, 'invalid_request', { message });
  });
});
