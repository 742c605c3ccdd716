import type { HistoryInclude } from '../../../contract/statuses.ts';
import type { Context } from '../../context.ts';
import { findConversation } from '../../conversations/reads.ts';
import { Follower } from '../../events/follower.ts';
import type { RecordedTurn } from '../turn.ts';
import type { LiveTurn } from './live-turn.ts';
import { TextTail } from './text-tail.ts';
import { isActive, type TurnEvent } from './turn-events.ts';
import { placeAt, TurnCursors, type TurnPlace } from './turn-place.ts';
import { TurnReader } from './turn-reader.ts';
import { MAX_ITEMS, readLatestTurn, revisionBefore, type TurnSource } from './turn-reads.ts';
import { TurnTail } from './turn-tail.ts';

/** Which turns to follow. */
export interface FollowedTurns {
  readonly conversationId: string;
  /** The cursor of the last received event, or of a page of the timeline. */
  readonly after?: string | null | undefined;
  /** Items that the feed only has on request. */
  readonly include?: readonly HistoryInclude[] | null | undefined;
}

/** Where a reader begins. `running` is a running turn whose start it has to report. */
type FirstPlace = TurnPlace & { readonly running?: string };

/**
 * Follows the turns of a conversation: the text while the model writes it, stored items, pauses and ends. Without a
 * cursor it begins with the turn that is running or waiting, from its first character, or with the next turn. From a
 * cursor it continues without a gap or a repeat, in any process.
 * @throws {ServiceError} not_found, later too, when the conversation is deleted; invalid_cursor
 */
export async function followTurns(
  ctx: Context,
  { conversationId, after, include }: FollowedTurns,
): Promise<AsyncIterableIterator<TurnEvent>> {
  const { services, environment, db, sql } = ctx;
  const cursors = new TurnCursors(ctx, conversationId);
  const source: TurnSource = { conversationId, environmentId: environment.id, db, sql };
  const { running, ...place } =
    after == null ? await firstPlace(source) : await placeOf(ctx, source, cursors.decode(after));
  const turns = services.stores.tails.get(['turns', environment.id, conversationId], () => {
    return new TurnTail(services.stores.pubSub, source, place.revision);
  });
  const texts = services.stores.tails.get(['live text', environment.id, conversationId], () => {
    return new TextTail(services.stores.pubSub, source, services.process.liveTurns);
  });
  let local: LiveTurn | undefined;
  // Kept after its end, because the items of its last step are read later.
  const keepLocal = () => {
    local = services.process.liveTurns.find(conversationId) ?? local;
  };
  const subscribe = (notify: () => void) => {
    const unsubscribes = [
      turns.subscribe(notify),
      texts.subscribe(notify),
      services.process.liveTurns.watch(conversationId, () => {
        // Now: a short turn is over when the watcher reads.
        keepLocal();
        notify();
      }),
    ];
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe();
    };
  };
  const stepsOf = (runId: string) => {
    keepLocal();
    if (local?.runId !== runId) return texts.tail.stepsOf(runId);
    const stored = texts.tail.stepsOf(runId);
    // Another process has taken the run over.
    const isOther = stored.some(({ fence }) => fence > (local?.fence ?? 0));
    return isOther ? stored : local.steps;
  };
  const reader = new TurnReader(source, cursors, place, include ?? []);
  if (running) reader.reportRunning(running);
  return new Follower(subscribe, readingEvents(reader, turns.tail, stepsOf));
}

/** The cursor of a place before a turn: the feed then has the turn from its start, or from the results that it answers. */
export async function cursorBefore(ctx: Context, { conversationId, runId, step }: RecordedTurn): Promise<string> {
  const revision = await revisionBefore({ environmentId: ctx.environment.id, sql: ctx.sql }, runId, step);
  return new TurnCursors(ctx, conversationId).encode(placeAt(revision, null));
}

/** The place before the turn that is running or waiting, or before the next turn. */
async function firstPlace(source: TurnSource): Promise<FirstPlace> {
  // Before the turn: a turn that starts in between is then the latest one.
  const { _max } = await source.db.timelineItem.aggregate({
    where: { conversationId: source.conversationId },
    _max: { revision: true },
  });
  const { turn } = await readLatestTurn(source);
  if (turn && isActive(turn)) return placeAt(await revisionBefore(source, turn.runId), null);
  return placeAt(_max.revision ?? 0n, turn?.runId ?? null);
}

async function placeOf(ctx: Context, source: TurnSource, after: TurnPlace | bigint): Promise<FirstPlace> {
  if (typeof after === 'bigint') return placeAfterPage(source, after);
  await findConversation(ctx, source, { select: { id: true } });
  return after;
}

/**
 * The place of a reader who has a page of the timeline. If the page shows the latest turn, the reader first gets the state
 * of the turn, and the text that is being written from its first character.
 */
async function placeAfterPage(source: TurnSource, revision: bigint): Promise<FirstPlace> {
  const { turn } = await readLatestTurn(source);
  if (!turn || revision <= (await revisionBefore(source, turn.runId))) return placeAt(revision, null);
  const place = { ...placeAt(revision, turn.runId), hasEnded: false, step: turn.step + 1 };
  return turn.status === 'running' ? { ...place, running: turn.runId } : place;
}

/** Reads the next events: items first, then text, then pauses and ends. */
function readingEvents(
  reader: TurnReader,
  tail: TurnTail,
  stepsOf: (runId: string) => ReturnType<TextTail['stepsOf']>,
): () => Promise<readonly TurnEvent[]> {
  const readOnce = async () => {
    const { items, latest } = await tail.read(reader.place.revision);
    for (const item of items) await reader.readItem(item, stepsOf);
    const { runId, hasEnded } = reader.place;
    const steps = runId === null || hasEnded ? [] : stepsOf(runId);
    return { latest, steps, isComplete: items.length < MAX_ITEMS };
  };
  let isCurrent = false;
  return async () => {
    if (!isCurrent) await tail.refresh();
    isCurrent = true;
    let read = await readOnce();
    if (reader.beginsText(read.steps)) {
      // Items may have been stored after the tail's last read.
      await tail.refresh();
      read = await readOnce();
    }
    if (read.isComplete) reader.readText(read.steps);
    if (read.isComplete && read.latest) await reader.readState(read.latest);
    return reader.take();
  };
}
