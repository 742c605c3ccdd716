import { expect, it } from 'vitest';
import type { LiveStep } from '../../src/domain/agent/live/live-turn.ts';
import { placeAt, TurnCursors } from '../../src/domain/agent/live/turn-place.ts';
import { TurnReader } from '../../src/domain/agent/live/turn-reader.ts';

const conversationId = '00000000-0000-4000-8000-000000000001';
const runId = '00000000-0000-4000-8000-000000000002';
const cursors = new TurnCursors(
  { services: { settings: { secretKey: 'k'.repeat(64) } }, environment: { id: conversationId } } as never,
  conversationId,
);
/** The reader reads text without a statement. */
const newReader = (place = { ...placeAt(0n, runId), hasEnded: false, step: 1 }) =>
  new TurnReader({ conversationId, environmentId: conversationId } as never, cursors, place);
const written = (fence: number, text: string): LiveStep => ({ fence, step: 1, reasoning: '', text });

it('reads no text of an earlier owner of the run, also at another process', () => {
  const reader = newReader();
  reader.readText([written(3, 'Of the new owner')]);
  expect(reader.take()).toMatchObject([{ kind: 'text.delta', offset: 0 }]);
  const moved = newReader(cursors.decode(cursors.encode(reader.place)) as typeof reader.place);
  for (const one of [reader, moved]) {
    expect(one.beginsText([written(2, 'Of the earlier owner')])).toBe(false);
    one.readText([written(2, 'Of the earlier owner')]);
    expect(one.take()).toEqual([]);
    one.readText([written(3, 'Of the new owner, and more')]);
    expect(one.take()).toMatchObject([{ kind: 'text.delta', text: ', and more' }]);
  }
});

it('declares the text of an earlier owner void if a later one writes', () => {
  const reader = newReader();
  reader.readText([written(2, 'Of the earlier owner')]);
  reader.readText([written(3, 'Of the new owner')]);
  expect(reader.take().map(({ kind }) => kind)).toEqual(['text.delta', 'step.restarted', 'text.delta']);
});
