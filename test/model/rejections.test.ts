import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { rejectionOf } from '../../src/model/rejection.ts';
import { closeProviders, event, failureOf, startProvider, step, stream } from '../support/reply-provider.ts';

closeProviders();

const LONG = 'x'.repeat(1024 * 1024);
const ODD: readonly (readonly [string, unknown])[] = [
  ['an object that cannot become a text', { toString: 1, valueOf: 2 }],
  ['an object', { a: 1 }],
  ['a list', ['invalid_request_error', 400]],
  ['a list in a list', [['rate_limit']]],
  ['a number', 7],
  ['null', null],
  ['true', true],
  ['a text of 1 MB', LONG],
  ['an empty text', ''],
];

describe.each(ODD)('an error of a provider with %s', (_description, value) => {
  it.each(['type', 'code', 'message'])('as its %s is a failure of the provider, with a limited text', (field) => {
    const { statusCode, isRetryable, responseBody = '' } = rejectionOf({ type: 'busy', [field]: value });
    expect({ statusCode, isRetryable }).toEqual({ statusCode: 500, isRetryable: true });
    expect(responseBody.length).toBeLessThanOrEqual(LIMITS.providerErrorBytes);
  });

  it('is rejected with its status, as a response and as an event', async () => {
    const error = { type: value, code: value, message: value };
    const json = JSON.stringify({ error });
    const refused = await startProvider((response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end(json);
    });
    const failures: unknown[] = [];
    const onFailure = (failure: unknown) => void failures.push(failure);
    const late = await startProvider(
      stream(event({ choices: [{ delta: { content: 'Half ' } }] }), `data: ${json}\n\n`),
    );
    for (const model of ['openai:any', 'openai-compatible:any', 'anthropic:any']) {
      expect(await failureOf(step(refused.url, model, { onFailure }))).toMatchObject({ reason: 'provider_refused' });
    }
    expect(await failureOf(step(late.url, 'openai:any', { onFailure }))).toMatchObject({ reason: 'provider_failed' });
    expect(failures.length).toBeGreaterThanOrEqual(4);
    for (const failure of failures) expect(JSON.stringify(failure).length).toBeLessThan(3 * LIMITS.traceErrorLength);
  });
});

it.each([
  [{ code: 503 }, 503],
  [{ code: '429' }, 429],
  [{ code: 404.5 }, 500],
  [{ code: 200 }, 500],
  [{ code: 'rate_limit_exceeded' }, 429],
  [{ type: 'authentication_error', code: { toString: 1 } }, 401],
  ['busy', 500],
])('the error %o counts like the status %i', (error, status) => {
  expect(rejectionOf(error).statusCode).toBe(status);
});
