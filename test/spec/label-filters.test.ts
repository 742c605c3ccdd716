import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  for (const deployment_id of ['a', 'b']) await service.chat(deployment_id, { meta: { deployment_id, tier: 'gold' } });
});
afterAll(() => service.close());

const LISTS = [`/v1/runner/${DEMO_CHAT_ID}/conversations`, '/v1/runner/conversations', '/v1/conversations'];

async function namesOf(path: string): Promise<string[]> {
  const { body } = await service.send('GET', path);
  return (body.items ?? body.data).map(({ name }: { name: string }) => name).sort();
}

describe('label filters', () => {
  it.each(LISTS)('of %s are meta[key]=value, also with the name of a path parameter', async (path) => {
    expect(await namesOf(`${path}?meta[deployment_id]=a`)).toEqual(['a']);
    expect(await namesOf(`${path}?meta%5Btier%5D=gold&meta[deployment_id]=b`)).toEqual(['b']);
    expect(await namesOf(`${path}?meta[tier]=silver`)).toEqual([]);
  });

  it.each(LISTS.slice(0, 2))('of %s can be named like an ID of the path or a body', async (path) => {
    expect(await namesOf(`${path}?deployment_id=a`)).toEqual(['a']);
    expect(await namesOf(`${path}?deployment_id=${DEMO_CHAT_ID}`)).toEqual([]);
    expect(await namesOf(`${path}?conversation_id=a`)).toEqual([]);
    expect(await namesOf(`${path}?deployment_id=a&meta[tier]=gold`)).toEqual(['a']);
  });

  it.each(
    LISTS.flatMap((path) =>
      ['tier[]', 'tier[eq]', 'meta[]', 'meta[', 'meta[a][b]', 'meta[a]b', '[tier]'].map((name) => [name, path]),
    ),
  )('are 400 in the form %s of %s', async (name, path) => {
    const response = await service.send('GET', `${path}?${name}=gold`);
    expectError(response, 'invalid_request', { param: name, message: 'Write a label as meta' });
  });

  it.each(LISTS.slice(0, 2))('of %s are 400 if both forms name the same label', async (path) => {
    const response = await service.send('GET', `${path}?tier=gold&meta[tier]=silver`);
    expectError(response, 'invalid_request', { param: 'meta[tier]' });
  });
});

describe('lists without labels', () => {
  it('reject a parameter in brackets that would not filter, and ignore unknown ones', async () => {
    const response = await service.send('GET', '/v1/events?type[]=resource.created');
    expectError(response, 'invalid_request', { param: 'type[]', message: 'type=value' });
    expect((await service.send('GET', '/v1/events?unknown[]=1')).status).toBe(200);
  });
});
