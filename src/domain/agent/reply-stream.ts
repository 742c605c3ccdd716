import { Repeater } from '@repeaterjs/repeater';
import { TopicSubscription } from '../../db/topic-subscription.ts';
import type { Context } from '../context.ts';
import type { LiveTurn } from './live/live-turn.ts';
import { markAbandoned } from './recovery/abandoned-reply.ts';
import { runToOutcome } from './run/run-to-outcome.ts';
import type { FinishedTurn, TurnResult } from './turn.ts';
import { acceptMessage, existingTurn } from './turns.ts';

/** The events of a streamed reply, in this order: start, any number of deltas, done. */
export type ReplyEvent =
  | { readonly kind: 'start'; readonly conversationId: string; readonly runId: string; readonly name: string }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'done'; readonly turn: FinishedTurn };

/**
 * Runs one v1 turn with a streamed reply. The turn starts when the first event is requested. If the client
 * disconnects, the deployment decides: the turn stops, keeps the partial reply, and ends as interrupted, or it
 * continues, and the feed of the conversation has the rest.
 * @throws {ServiceError} the reason for a rejected turn from the first event, model_error and model_timeout from later
 * ones
 */
export function replyStream(
  ctx: Context,
  deploymentId: string,
  input: Readonly<Record<string, unknown>>,
): AsyncIterableIterator<ReplyEvent> {
  return new Repeater<ReplyEvent>(async (push, stop) => {
    const disconnected = new AbortController();
    stop.then(() => disconnected.abort());
    const existing = await existingTurn(ctx, deploymentId);
    if (existing) return replay(existing, push, stop);
    const turn = await acceptMessage(ctx, deploymentId, input, { gone: disconnected.signal });
    const { runId, conversation, deployment } = turn;
    const live = ctx.services.process.liveTurns.open(ctx.environment.id, turn);
    let isRunning = true;
    const continues = deployment.onReaderGone === 'continue';
    stop.then(() => (isRunning && !continues ? markAbandoned(ctx, runId) : undefined));
    // Not awaited, so that the model starts immediately. The first delta is queued after this event.
    void push({ kind: 'start', conversationId: conversation.id, runId, name: conversation.name });
    const settled = runToOutcome(ctx, turn, live)
      .finally(() => {
        isRunning = false;
      })
      .then((result) => ({ result }))
      .catch((error: unknown) => ({ error }));
    await passText(ctx, live, settled, disconnected.signal, (text) => push({ kind: 'delta', text }));
    if (disconnected.signal.aborted) return;
    const outcome = await settled;
    if ('error' in outcome) throw outcome.error;
    const { result } = outcome;
    if (result.outcome === 'finished') await push({ kind: 'done', turn: result });
    stop();
  });
}

/** Passes on the text of a turn until the turn has settled or the client has disconnected. */
async function passText(
  { services }: Context,
  live: LiveTurn,
  settled: Promise<unknown>,
  disconnected: AbortSignal,
  push: (text: string) => Promise<unknown>,
): Promise<void> {
  const changes = new TopicSubscription(services.process.liveTurns, live.conversationId);
  let isSettled = false;
  settled.then(() => {
    isSettled = true;
    changes.notify();
  });
  disconnected.addEventListener('abort', () => changes.notify());
  const next = textAfterText(live);
  try {
    for (;;) {
      const isLast = isSettled;
      const text = next();
      if (text !== '') await push(text);
      if (isLast || disconnected.aborted) return;
      await changes.wait();
    }
  } finally {
    changes.close();
  }
}

/** Returns a function that returns the text since its last call, of all steps. */
function textAfterText({ steps }: LiveTurn): () => string {
  let index = 0;
  let offset = 0;
  return () => {
    let text = '';
    for (; index < steps.length; index += 1) {
      const written = steps[index]?.text ?? '';
      text += written.slice(offset);
      offset = written.length;
      if (index === steps.length - 1) break;
      offset = 0;
    }
    return text;
  };
}

/** Streams a turn that an earlier attempt has finished. */
async function replay(turn: TurnResult, push: (event: ReplyEvent) => unknown, stop: () => void): Promise<void> {
  const { conversationId, runId, name } = turn;
  void push({ kind: 'start', conversationId, runId, name });
  if (turn.outcome === 'finished') {
    const text = typeof turn.content === 'string' ? turn.content : JSON.stringify(turn.content);
    if (text !== '') await push({ kind: 'delta', text });
    await push({ kind: 'done', turn });
  }
  stop();
}
