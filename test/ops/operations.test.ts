import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('operations', () => {
  it('serves /healthz and /readyz without credentials', async () => {
    expect(await service.send('GET', '/healthz', { key: null })).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await service.send('GET', '/readyz', { key: null })).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { accepting: true, database: true, migrations: true } },
    });
  });

  it('counts requests, turns, model steps, active runs and connections for Prometheus', async () => {
    await service.agentTurn('Hello');
    await service.agentTurn('/fail');
    const { body, headers } = await service.send('GET', '/metrics', { key: null });
    expect(headers.get('content-type')).toContain('text/plain');
    expect(body).toMatch(/parley_turns_total\{outcome="completed"\} 1/);
    expect(body).toMatch(/parley_turns_total\{outcome="failed"\} 1/);
    expect(body).toMatch(/parley_model_step_duration_seconds_count\{model="demo",outcome="ok"\} 1/);
    expect(body).toMatch(/parley_model_step_duration_seconds_count\{model="demo",outcome="failed"\} 1/);
    expect(body).toMatch(
      /parley_http_request_duration_seconds_count\{method="POST",route="\/v2\/runner\/:deployment_id\/conversation",status="200"\} 1/,
    );
    expect(body).toMatch(/parley_active_runs 0/);
    expect(body).toMatch(/parley_subscriptions 0/);
    expect(body).toMatch(/parley_database_connections\{state="idle"\} \d/);
  });

  it('logs each request with its ID and its run, without content and secrets', async () => {
    const headers = { 'x-request-id': 'my-request.1' };
    await service.send('POST', '/v1/runner/00000000-0000-4000-8000-000000000001/conversation', {
      headers,
      body: { content: [{ type: 'text', text: 'a very private sentence' }], variables: { SECRET: 'planted-value' } },
    });
    await service.agentTurn('/say another private sentence && /fail');
    await service.send('GET', '/nowhere?planted=planted-query', { key: 'sk_live_planted' });
    const log = service.logLines.join('');
    expect(log).toContain('"request_id":"my-request.1"');
    expect(log).toMatch(/"run_id":"[0-9a-f-]{36}"/);
    for (const planted of [
      'private sentence',
      'planted-value',
      'planted-query',
      'sk_live_planted',
      service.keys.live,
    ]) {
      expect(log).not.toContain(planted);
    }
  });

  it('sends security headers and allows other origins only for the APIs', async () => {
    const { headers } = await service.send('GET', '/healthz', { headers: { origin: 'https://elsewhere.example' } });
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const graphql = await service.graphql('{ __typename }', {}, { headers: { origin: 'https://elsewhere.example' } });
    expect(graphql.headers.get('access-control-allow-origin')).toBe('*');
    expect(graphql.headers.get('access-control-allow-credentials')).toBeNull();
  });
});
