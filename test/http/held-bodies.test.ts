import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unfinishedBodies } from '../../src/http/body/unfinished-bodies.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let host: ProviderService;
let agent: string;
beforeAll(async () => {
  host = await startProviderService();
  agent = (await makeDeployment(host.service, {}, { kind: 'agent', authRequired: false })).id;
});
afterAll(() => host.close());

const TEXT = 'word '.repeat(39_000);

/** Starts a run whose model waits. Returns its response and what ends it. */
async function startRun(key: string | null, path: string) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  async function* pieces() {
    yield { deltas: ['One '] };
    await ended;
    yield { deltas: ['two'] };
  }
  host.provider.reply({ kind: 'dictated', pieces: pieces() });
  const asked = host.provider.nextRequest();
  const response = fetch(host.service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { 'x-api-key': key }) },
    body: JSON.stringify({ content: [{ type: 'text', text: TEXT }] }),
  });
  await Promise.race([asked, response.then(({ status }) => expect(status).toBe(200))]);
  return { response, end };
}

describe('the memory of a body', () => {
  it('counts until the response to a stranger ends, because the content stays in memory', async () => {
    const { response, end } = await startRun(null, `/v2/runner/${agent}`);
    expect(unfinishedBodies.total).toBeGreaterThan(TEXT.length);
    end();
    expect((await response).status).toBe(200);
    await until(async () => unfinishedBodies.total === 0);
  });

  it('counts until it is parsed if the caller has a key, whose turns have limits of their own', async () => {
    const { response, end } = await startRun(host.service.keys.live, `/v2/runner/${agent}`);
    expect(unfinishedBodies.total).toBe(0);
    end();
    expect((await response).status).toBe(200);
  });

  it('does not count while a feed is open, which releases it', async () => {
    host.provider.reply({ kind: 'answer', deltas: ['Hello'] });
    const url = `${host.service.url}/v2/runner/${agent}/conversation`;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ content: [{ type: 'text', text: 'Hello' }] });
    const turn = await fetch(url, { method: 'POST', headers, body });
    const { conversation_id: id } = (await turn.json()) as { conversation_id: string };
    const feed = await fetch(`${host.service.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, accept: 'text/event-stream' },
      body: JSON.stringify({
        query: `subscription { conversationChanged(conversationId: "${id}") { __typename } } # ${TEXT}`,
      }),
    });
    expect([feed.status, feed.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/event-stream'),
    ]);
    expect(unfinishedBodies.total).toBe(0);
    await feed.body?.cancel();
  });
});
