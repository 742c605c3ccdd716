import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import {
  findBoth,
  LIST,
  labels,
  MESSAGES,
  type SearchService,
  startSearchService,
} from '../support/conversation-search.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { globalId } from '../support/results.ts';
import { DEMO_AGENT_ID, type TestService } from '../support/service.ts';

let service: TestService;
let ids: SearchService['ids'];
let triggerId: string;

const DELETE = 'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }';

const prisma = () => service.service.services.stores.prisma;

beforeAll(async () => {
  ({ service, ids, triggerId } = await startSearchService());
});
afterAll(() => service.close());

const found = (filter: object, query: Readonly<Record<string, string>>) => findBoth(service, filter, query);
const foundByText = async (text: string) => (await found({ text }, { text })).sort();
const foundById = (id: string) => found({ anyId: id }, { id });

describe('the full-text search', () => {
  it.each([
    ['cafe', ['coffee']],
    ['CAFÉ zurich', ['coffee']],
    ['ёлка', ['cyrillic']],
    ['елка', ['cyrillic']],
    ['car blue', ['car', 'red']],
    ['"blue car"', ['car']],
    ['car -red', ['car']],
    ['cafe or red', ['coffee', 'red']],
    ['zur', ['coffee']],
    ['ca', []],
    ['invoice-17', ['invoice']],
    ['ann@example.com', ['invoice']],
    ["o'neil", ['quotes']],
    ['"hello" drop', ['quotes']],
    ["'; DROP TABLE conversation; --", ['quotes']],
    ["') OR true --", []],
    ['blue & !red | <-> :* (', ['red']],
    ['\\ car:* blue', ['car', 'red']],
    ['-"blue car" red -(', ['red']],
    ['said', Object.keys(MESSAGES).concat('failed', 'triggered').sort()],
    ['nothing has this', []],
  ])('finds %j', async (text, expected) => {
    expect(await foundByText(text)).toEqual([...expected].sort());
  });

  it('finds words of the name, and of any message', async () => {
    expect(await foundByText('vehicle broken')).toEqual(['car']);
    expect(await foundByText('pumpernickel')).toEqual(['car']);
    expect(await foundByText('pumpernickel red')).toEqual([]);
  });

  it('compares words without stemming, and finds a text without spaces only by its beginning', async () => {
    const { body } = await service.chat('明天天气怎么样', { meta: { n: 'chinese' } });
    expect([await foundByText('start'), await foundByText('starts')]).toEqual([['car'], []]);
    expect([await foundByText('明天天'), await foundByText('天气怎')]).toEqual([['chinese'], []]);
    await service.graphql(DELETE, { id: body.conversation_id });
  });

  it('finds a message up to its limit, and stores longer ones', async () => {
    const words = Array.from({ length: LIMITS.textLength / 8 - 20 }, (_, n) => `w${String(n).padStart(6, '0')}`);
    const { status, body } = await service.chat(words.join(' '), { meta: { n: 'long' } });
    expect(status).toBe(200);
    const last = Math.floor(LIMITS.searchedLength / 8) - 1;
    expect(await foundByText(words[last] ?? '')).toEqual(['long']);
    expect(await foundByText(words[last + 1] ?? '')).toEqual([]);
    await service.graphql(DELETE, { id: body.conversation_id });
  });

  it.each([
    ['', 'must not be empty'],
    ['!?', 'a letter or a digit'],
    ['x'.repeat(LIMITS.searchLength + 1), 'characters'],
    [Array.from({ length: LIMITS.searchWords + 1 }, () => 'w').join(' '), 'words'],
  ])('rejects %j', async (text, message) => {
    expectGraphqlError(await service.graphql(LIST, { filter: { text } }), 'invalid_request', { param: 'text' });
    const response = await service.send('GET', `/v1/conversations?${new URLSearchParams({ text })}`);
    expectError(response, 'invalid_request', { param: 'text' });
    expect(response.body.error.message).toContain(message);
  });

  it('rejects a text that only excludes words, which no index can find', async () => {
    for (const text of ['-red', 'blue or -red']) {
      expectGraphqlError(await service.graphql(LIST, { filter: { text } }), 'invalid_request', { param: 'text' });
      expectError(await service.send('GET', `/v1/conversations?text=${text}`), 'invalid_request', { param: 'text' });
    }
  });

  it('accepts the longest text and the most words', async () => {
    expect(await foundByText('x'.repeat(LIMITS.searchLength))).toEqual([]);
    expect(await foundByText(Array.from({ length: LIMITS.searchWords }, () => 'car').join(' '))).toEqual([
      'car',
      'red',
    ]);
  });
});

describe('the search by ID', () => {
  it('finds the conversation of any ID in it', async () => {
    const id = ids.get('asking') ?? '';
    const run = await prisma().run.findFirstOrThrow({ where: { conversationId: id } });
    const items = await prisma().timelineItem.findMany({ where: { conversationId: id }, orderBy: { id: 'asc' } });
    const call = items.find(({ callId }) => callId !== null);
    const pasted = [
      id,
      ` ${id.toUpperCase()} `,
      globalId('Conversation', id),
      run.id,
      globalId('Run', run.id),
      run.requestId,
      call?.callId ?? '',
      String(items[0]?.id),
      `item_${String(items[0]?.id).padStart(16, '0')}`,
    ];
    for (const text of pasted) expect([text, await foundById(text)]).toEqual([text, ['asking']]);
    expect(await foundById(triggerId)).toEqual(['triggered']);
  });

  it('finds the request of an earlier part of a turn', async () => {
    const id = ids.get('failed') ?? '';
    const [first] = await prisma().workflowLog.findMany({ where: { conversationId: id }, orderBy: { id: 'asc' } });
    expect(await foundById(first?.requestId ?? '')).toEqual(['failed']);
  });

  it.each(['unknown', "' OR 1=1 --", '00000000-0000-4000-8000-0000000000ff', '999999999999999', 'item_1x', 'Q29udmVy'])(
    'finds nothing for %j',
    async (id) => {
      expect(await foundById(id)).toEqual([]);
    },
  );

  it('rejects an ID that is too long', async () => {
    const id = 'x'.repeat(LIMITS.searchLength + 1);
    expectGraphqlError(await service.graphql(LIST, { filter: { anyId: id } }), 'invalid_request', { param: 'anyId' });
    expectError(await service.send('GET', `/v1/conversations?id=${id}`), 'invalid_request', { param: 'id' });
    expect(await foundById('x'.repeat(LIMITS.searchLength))).toEqual([]);
  });
});

describe('the other filters', () => {
  const sorted = async (filter: object, query: Readonly<Record<string, string>>) => (await found(filter, query)).sort();

  it('filters by deployment, status, run status, error, version and label', async () => {
    expect(await sorted({ deploymentId: DEMO_AGENT_ID }, { deployment_id: DEMO_AGENT_ID })).toEqual([
      'asking',
      'failed',
    ]);
    const runStatus = await sorted({ runStatuses: ['FAILED'] }, { run_status: 'failed' });
    expect(runStatus).toEqual(['failed']);
    expect(await sorted({ errorCodes: ['MODEL_ERROR'] }, { error_code: 'model_error' })).toEqual(['failed']);
    expect(await sorted({ errorCodes: ['MODEL_TIMEOUT'] }, { error_code: 'model_timeout' })).toEqual([]);
    expect(await sorted({ status: 'COMPLETED' }, { status: 'completed' })).toEqual([]);
    expect(
      await sorted({ workflowVersion: 1, status: 'ACTIVE' }, { workflow_version: '1', status: 'active' }),
    ).toHaveLength(9);
    expect(await sorted({ workflowVersion: 2 }, { workflow_version: '2' })).toEqual([]);
    expect(await sorted({ meta: { n: 'car' } }, { 'meta[n]': 'car' })).toEqual(['car']);
    expect(await sorted({ search: 'VEHIC' }, { search: 'VEHIC' })).toEqual(['car']);
  });

  it('accepts several statuses and error codes', async () => {
    const query = '/v1/conversations?run_status=failed&run_status=waiting_for_client_action';
    expect(labels((await service.send('GET', query)).body.data).sort()).toEqual(['asking', 'failed']);
    const codes = '/v1/conversations?error_code=model_error&error_code=model_timeout';
    expect(labels((await service.send('GET', codes)).body.data)).toEqual(['failed']);
  });

  it('filters by dates', async () => {
    const { createdAt } = await prisma().conversation.findFirstOrThrow({ where: { id: ids.get('red') ?? '' } });
    const time = createdAt.toISOString();
    const before = await sorted({ createdAt: { to: time } }, { created_to: time });
    expect(before).toEqual(['car', 'coffee']);
    const after = await sorted({ createdAt: { from: time } }, { created_from: time });
    expect(after).toHaveLength(7);
    const updated = await sorted(
      { updatedAt: { from: time }, text: 'pumpernickel' },
      { updated_from: time, text: 'pumpernickel' },
    );
    expect(updated).toEqual(['car']);
    expect(await sorted({ updatedAt: { to: '2020-01-01T00:00:00Z' } }, { updated_to: '2020-01-01T00:00:00Z' })).toEqual(
      [],
    );
  });

  it('filters by the response time of the slowest turn and by cost, both bounds included', async () => {
    const time = await sorted(
      { responseTimeMs: { min: 30, max: 40 } },
      { min_response_time_ms: '30', max_response_time_ms: '40' },
    );
    expect(time).toEqual(['quotes', 'red']);
    expect(await sorted({ cost: { max: 3 } }, { max_cost: '3' })).toEqual(['coffee', 'red']);
    expect(await sorted({ cost: { min: 8.5 } }, { min_cost: '8.5' })).toEqual(['car', 'failed', 'triggered']);
    expect(
      await sorted({ cost: { min: 2.5, max: 3.5 }, text: 'blue' }, { min_cost: '2.5', max_cost: '3.5', text: 'blue' }),
    ).toEqual(['red']);
  });

  it.each([
    [{ responseTimeMs: { min: -1 } }, 'min_response_time_ms=-1', 'responseTimeMs.min', 'min_response_time_ms'],
    [
      { responseTimeMs: { min: 2, max: 1 } },
      'min_response_time_ms=2&max_response_time_ms=1',
      'responseTimeMs.min',
      'min_response_time_ms',
    ],
    [{ cost: { max: LIMITS.filterCost + 1 } }, `max_cost=${LIMITS.filterCost + 1}`, 'cost.max', 'max_cost'],
    [{ workflowVersion: 0 }, 'workflow_version=0', 'workflowVersion', 'workflow_version'],
    [
      { createdAt: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
      'created_from=2026-01-02T00:00:00Z&created_to=2026-01-01T00:00:00Z',
      'createdAt.from',
      'created_from',
    ],
    [{ runStatuses: [] }, '', 'runStatuses', ''],
    [
      { errorCodes: Array.from({ length: LIMITS.filterValues + 1 }, () => 'MODEL_ERROR') },
      Array.from({ length: LIMITS.filterValues + 1 }, () => 'error_code=model_error').join('&'),
      'errorCodes',
      'error_code',
    ],
  ])('rejects %j', async (filter, query, param, restParam) => {
    expectGraphqlError(await service.graphql(LIST, { filter }), 'invalid_request', { param });
    if (query)
      expectError(await service.send('GET', `/v1/conversations?${query}`), 'invalid_request', { param: restParam });
  });

  it('accepts the highest cost and the most values', async () => {
    const errorCodes = Array.from({ length: LIMITS.filterValues }, () => 'MODEL_ERROR');
    const { body } = await service.graphql(LIST, { filter: { errorCodes, cost: { max: LIMITS.filterCost } } });
    expect(labels(body.data.conversations.nodes)).toEqual(['failed']);
  });
});
