import { Repeater } from '@repeaterjs/repeater';
import type { Context } from '../context.ts';
import { runTurn } from './run-turn.ts';
import type { FinishedTurn, TurnResult } from './turn.ts';
import { acceptMessage, madeBefore } from './turns.ts';

/** What a reader of a reply is told, in this order: start, any number of deltas, done. */
export type ReplyEvent =
  | { readonly kind: 'start'; readonly conversationId: string; readonly runId: string; readonly name: string }
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'done'; readonly turn: FinishedTurn };

/**
 * One v1 turn whose reply is read as it is made (SPEC 4.5). Nothing happens until the first event is asked for, and
 * the model waits until each piece is taken. A reader that goes away stops the turn: what was written is kept, and the
 * run ends interrupted (WIRE 6).
 * @throws {ServiceError} from the first event what refuses a turn, from later ones model_error and model_timeout
 */
export function replyStream(
  ctx: Context,
  deploymentId: string,
  input: Readonly<Record<string, unknown>>,
): AsyncIterableIterator<ReplyEvent> {
  return new Repeater<ReplyEvent>(async (push, stop) => {
    const gone = new AbortController();
    stop.then(() => gone.abort());
    const made = await madeBefore(ctx, deploymentId);
    if (made) return tell(made, push, stop);
    const accepted = await acceptMessage(ctx, deploymentId, input, gone.signal);
    const { runId, conversation } = accepted;
    // Not waited for: the model starts at once, and the first delta waits its turn behind this.
    void push({ kind: 'start', conversationId: conversation.id, runId, name: conversation.name });
    const onText = async (text: string) => {
      await push({ kind: 'delta', text });
    };
    const turn = await runTurn(ctx, accepted, { onText, gone: gone.signal }).catch((error: unknown) => {
      // Nobody is left to be told that another process has settled it; an error that nobody takes would end this one.
      if (gone.signal.aborted) return undefined;
      throw error;
    });
    if (turn?.outcome === 'finished' && !gone.signal.aborted) await push({ kind: 'done', turn });
    stop();
  });
}

/** A turn that has been made already, as whoever had read it would have been told of it. */
async function tell(turn: TurnResult, push: (event: ReplyEvent) => unknown, stop: () => void): Promise<void> {
  const { conversationId, runId, name } = turn;
  void push({ kind: 'start', conversationId, runId, name });
  if (turn.outcome === 'finished') {
    const text = typeof turn.content === 'string' ? turn.content : JSON.stringify(turn.content);
    if (text !== '') await push({ kind: 'delta', text });
    await push({ kind: 'done', turn });
  }
  stop();
}
