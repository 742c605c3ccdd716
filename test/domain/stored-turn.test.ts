import { expect, it } from 'vitest';
import { storedTurn } from '../../src/domain/agent/rows/turn-replay.ts';

it('a turn that an earlier release stored with its key has 0 tokens of the cache', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const turn = { runId: 'r', conversationId: 'c', inputTokens: 7, outputTokens: 2, createdAt: at, updatedAt: at };
  const recorded = { runId: 'r', conversationId: 'c', turn: { ...turn, completedAt: null } };
  expect(storedTurn(recorded as unknown as Parameters<typeof storedTurn>[0])).toMatchObject({
    ...{ inputTokens: 7, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 2 },
    updatedAt: new Date(at),
  });
});
