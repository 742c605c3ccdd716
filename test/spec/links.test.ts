import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
let conversation: string;
beforeAll(async () => {
  service = await startService();
  for (let count = 0; count < 5; count += 1) {
    await service.send('POST', '/v1/resources', { body: { type: 'note', fields: { count } } });
    const { body } = await service.chat(`Hello ${count}`, { meta: { tier: 'gold & silver' } });
    conversation = body.conversation_id;
  }
});
afterAll(() => service.close());

/** The links of a response by relation. */
function linksOf(headers: Headers): Record<string, string> {
  const match = [...(headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(match.map(([, path = '', rel = '']) => [rel, path]));
}

/** Follows `next` links from a path to the end. */
async function follow(path: string): Promise<{ readonly path: string; readonly links: Record<string, string> }[]> {
  const pages = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { status, headers } = await service.send('GET', next);
    expect(status).toBe(200);
    const links = linksOf(headers);
    pages.push({ path: next, links });
    next = links.next;
  }
  return pages;
}

describe('Link', () => {
  it.each([
    ['resources', '/v1/resources?type=note&limit=2', 3],
    ['events', '/v1/events?event_types=resource.created&limit=2', 3],
  ])('leads through all pages of %s with a cursor and keeps the filters', async (_description, path, count) => {
    const pages = await follow(path);
    expect(pages).toHaveLength(count);
    const [first, ...rest] = path.split('?')[1]?.split('&') ?? [];
    for (const page of pages) for (const part of [first, ...rest]) expect(page.path).toContain(part);
    for (const { links } of pages) expect(links.prev).toBeUndefined();
  });

  it('leads forward and back through numbered pages and keeps the filters', async () => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversations?tier=gold+%26+silver&page_size=2`;
    const pages = await follow(path);
    expect(pages).toHaveLength(3);
    expect(pages[1]?.links).toEqual({
      next: expect.stringContaining(`${path}&page=3&as_of=`),
      prev: `${path}&page=1`,
    });
    expect(Object.keys(pages[2]?.links ?? {})).toEqual(['prev']);
    const { body } = await service.send('GET', pages[1]?.path ?? '');
    expect(body).toMatchObject({ page: 2, total: 5 });
  });

  it('leads through messages and histories', async () => {
    const messages = await follow(`/v1/runner/conversation/${conversation}/messages?page_size=1`);
    expect(messages).toHaveLength(2);
    const path = `/v2/runner/${DEMO_CHAT_ID}/conversation/${conversation}/history?limit=1`;
    expect(await follow(path)).toHaveLength(2);
  });

  it('is omitted if it would have over 2,048 characters, which is too long for a proxy', async () => {
    const linkWith = async (padding: number) => {
      const { status, headers } = await service.send('GET', `/v1/resources?limit=1&x=${'a'.repeat(padding)}`);
      expect(status).toBe(200);
      return headers.get('link');
    };
    const longest = 2_048 - ((await linkWith(0))?.length ?? 0);
    expect(await linkWith(longest)).toHaveLength(2_048);
    expect(await linkWith(longest + 1)).toBeNull();
  });
});

describe('Location', () => {
  it('is the path of a created resource', async () => {
    const { status, headers, body } = await service.send('POST', '/v1/resources', { body: { type: 'a', fields: {} } });
    expect([status, headers.get('location')]).toEqual([201, `/v1/resources/${body.data.id}`]);
    expect((await service.send('GET', headers.get('location') ?? '')).body).toEqual(body);
  });
});
