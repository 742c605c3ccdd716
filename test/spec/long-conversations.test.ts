import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCount } from '../../src/contract/quantities.ts';
import { readDocument } from '../support/document-blocks.ts';
import { longTalk, reusableTokens, sentTokens } from '../support/long-talk.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

describe('docs/long-conversations.md', () => {
  it.each([
    ['the whole history', { context: 'compact', contextTokens: 1_000_000 }],
    ['`WINDOW`, 5 message pairs', { context: 'window', historyLimit: 5 }],
    ['`COMPACT`, 8,000 tokens', { context: 'compact', contextTokens: 8_000 }],
  ] as const)('has the measured numbers of %s', async (name, config) => {
    const talk = await longTalk(provided, config);
    const sent = sentTokens(talk);
    const reusable = reusableTokens(talk);
    const share = `${Math.round((reusable / sent) * 100)} %`;
    const cells = [name, sent, sent - reusable, share, talk.summaries.length];
    const row = cells.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)).join(' | ');
    expect(readDocument('docs/long-conversations.md').split('\n')).toContain(`| ${row} |`);
  });
});
