import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const DELETE = 'mutation ($input: DeleteConversationInput!) { deleteConversation(input: $input) { __typename } }';

/** A new deployment, so that each test has its own list. */
let path: string;
let ids: string[];
beforeEach(async () => {
  const { id } = await makeDeployment(service, {});
  path = `/v1/runner/${id}/conversations`;
  ids = [];
  for (const name of ['1', '2', '3', '4', '5']) ids.unshift(await start(name));
});

const turnPath = () => path.replace(/s$/, '');

async function start(text: string, shop = 'north'): Promise<string> {
  const body = { content: [{ type: 'text', text }], meta: { shop } };
  return (await service.send('POST', turnPath(), { body })).body.conversation_id;
}

async function touch(id: string | undefined): Promise<void> {
  const body = { content: [{ type: 'text', text: 'More' }], conversation_id: id };
  expect((await service.send('POST', turnPath(), { body })).status).toBe(200);
}

const linkIn = (headers: Headers, rel: string) =>
  new RegExp(`<([^>]*)>; rel="${rel}"`).exec(headers.get('link') ?? '')?.[1];

const get = async (url: string) => {
  const { status, body, headers } = await service.send('GET', url);
  return { status, body, next: linkIn(headers, 'next'), prev: linkIn(headers, 'prev') };
};

/** Follows the links of the list to its end. `between` runs after the first page. */
async function readAll(query: string, between: () => Promise<unknown>): Promise<string[]> {
  const read: string[] = [];
  for (let url: string | undefined = `${path}?${query}`; url; ) {
    const { body, next } = await get(url);
    read.push(...body.items.map(({ id }: { id: string }) => id));
    expect([body.has_more, body.as_of !== null]).toEqual([next !== undefined, next !== undefined]);
    if (read.length === body.items.length) await between();
    url = next;
  }
  return read;
}

describe.each(['page_size=2', 'page_size=2&meta[shop]=north', 'page_size=2&shop=north'])(
  'a list of conversations by page, whose links a client follows: %s',
  (query) => {
    it('has each conversation once if nothing changes', async () => {
      expect(await readAll(query, async () => {})).toEqual(ids);
    });

    it('has a conversation of a later page at the end if it has new activity meanwhile', async () => {
      const [one, two, three, four, five] = ids;
      expect(await readAll(query, () => touch(four))).toEqual([one, two, three, five, four]);
    });

    it('has a conversation of an earlier page again at the end', async () => {
      expect(await readAll(query, () => touch(ids[1]))).toEqual([...ids, ids[1]]);
    });

    it('lacks no conversation if one of an earlier page is deleted meanwhile', async () => {
      const remove = async () => {
        const { body } = await service.graphql(DELETE, { input: { conversationId: ids[0] } });
        expect(body.data.deleteConversation.__typename).toBe('DeleteConversationPayload');
      };
      expect(await readAll(query, remove)).toEqual(ids);
    });

    it('has conversations that start meanwhile at the end, on further pages', async () => {
      const started: string[] = [];
      const startThree = async () => {
        for (const name of ['6', '7', '8']) started.push(await start(name));
      };
      expect(await readAll(query, startThree)).toEqual([...ids, ...started]);
    });
  },
);

describe('the link of a page', () => {
  it('has no as_of to the page before, which has an offset', async () => {
    const { next } = await get(`${path}?page_size=2`);
    const { prev, next: last } = await get(next as string);
    expect(prev).toBe(`${path}?page_size=2&page=1`);
    expect(last).toMatch(/page_size=2&page=3&as_of=[\w-]+$/);
  });

  it('leads to conversations of its filter only', async () => {
    const other = await start('other', 'south');
    expect(await readAll('page_size=2&meta[shop]=north', () => touch(other))).toEqual(ids);
  });
});

describe('as_of', () => {
  it.each(['nothing', ''])('that the service has not sent is rejected: "%s"', async (asOf) => {
    const { status, body } = await get(`${path}?as_of=${asOf}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_cursor', 'as_of']);
  });

  it('of another list is rejected', async () => {
    const { body } = await get(`${path}?page_size=2`);
    const other = await get(`${path}?page_size=2&shop=north&as_of=${body.as_of}`);
    expect([other.status, other.body.error.code]).toEqual([400, 'invalid_cursor']);
  });

  it('is a label in brackets', async () => {
    const body = { content: [{ type: 'text', text: 'Hello' }], meta: { as_of: 'x' } };
    const { conversation_id } = (await service.send('POST', turnPath(), { body })).body;
    const { items } = (await get(`${path}?meta[as_of]=x`)).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([conversation_id]);
  });
});
