import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { type RawProvider, startRawProvider, withEvents } from '../support/raw-provider.ts';
import { delta, end } from '../support/reply-provider.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

let provider: RawProvider;
let service: TestService;
beforeAll(async () => {
  provider = await startRawProvider((message) => {
    const [, length] = /signature of (\d+)/.exec(message) ?? [];
    if (length === undefined) return withEvents(delta({ content: 'Good.' }) + end());
    const extra_content = { google: { thought_signature: 's'.repeat(Number(length)) } };
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'none', arguments: '{}' }, extra_content };
    return withEvents(delta({ tool_calls: [call] }) + end('tool_calls'));
  });
  const openai = { apiKey: 'a-key', baseUrl: `${provider.url}/v1` };
  service = await startService({ providers: { openai, anthropic: {} } });
});
afterAll(async () => {
  await service.close();
  await provider.close();
});

describe('what a provider must get back with the calls of a step', () => {
  it.each([
    [1_000, true],
    [LIMITS.stepMemoryLength, false],
  ])('of %i characters is stored: %s', async (length, isStored) => {
    const { id } = await makeDeployment(service, { model: 'openai-compatible:any' }, { kind: 'agent' });
    const content = textContent(`A signature of ${length}`);
    const { status, body } = await service.send('POST', `/v2/runner/${id}/conversation`, { body: { content } });
    expect({ status, content: body.content }).toEqual({ status: 200, content: 'Good.' });
    const rows = await service.service.services.stores.prisma.timelineItem.findMany({
      where: { conversationId: body.conversation_id },
      select: { sealedMemory: true },
    });
    expect(rows.some(({ sealedMemory }) => sealedMemory !== null)).toBe(isStored);
  });
});
