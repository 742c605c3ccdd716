import { type MessageContent, textOf } from '../../../contract/content.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { storableText } from '../../../contract/storable-text.ts';
import { onlyUsage, type Usage } from '../../../contract/token-usage.ts';
import { Spending } from '../../budgets/spending.ts';
import { placeOfRun } from '../../budgets/spending-place.ts';
import type { Context } from '../../context.ts';
import { publishConversationChange } from '../../conversations/publish-change.ts';
import { recentTimeline, type TimelineEntry } from '../../conversations/timeline.ts';
import { shortTitle, titleOf } from '../../conversations/title.ts';
import { askModel } from '../prompt/ask-model.ts';
import { loggableError } from '../settle/failed-turn.ts';
import type { AcceptedTurn } from '../turn.ts';
import { storeSideCost } from './store-side-cost.ts';

const INSTRUCTIONS = `Write a title for the conversation below, in its language, of at most ${LIMITS.nameLength} characters. Answer with the title alone.`;

/** The length of a message's excerpt. */
const EXCERPT = 2_000;

/**
 * Lets the model name the conversation after its first reply, in the background. Until then, and if the model
 * fails, the name is the beginning of the first message.
 */
export function writeTitle(ctx: Context, turn: AcceptedTurn, reply: string): void {
  const facts = { request_id: ctx.request.id, run_id: turn.runId, conversation_id: turn.conversation.id };
  ctx.services.process.runs
    .workUnleased(async (signal) => {
      if (await hasEarlierReply(ctx, turn)) return;
      const entries = await recentTimeline(ctx, turn.conversation.id, 0);
      const step = await askForTitle(ctx, turn, transcript(entries, reply), signal);
      await rename(ctx, turn, shortTitle(storableText(step.text)));
    })
    .catch((error: unknown) => {
      ctx.services.process.log.warn({ ...facts, ...loggableError(error) }, 'a conversation could not be given a title');
    });
}

async function askForTitle(ctx: Context, turn: AcceptedTurn, question: string, signal: AbortSignal) {
  const { model, deployment, conversation } = turn;
  const startedMs = ctx.services.process.monotonicMs();
  const place = placeOfRun(ctx, deployment, conversation.id, turn.runId);
  const spending = deployment.hasBudgets ? new Spending(ctx, { workId: ctx.newId(), place }) : undefined;
  const prompt = {
    model,
    instructions: INSTRUCTIONS,
    messages: [{ role: 'user', content: question } as const],
    tools: [],
    timeoutMs: deployment.config.timeoutSeconds * 1_000,
    signal,
  };
  let usage: Usage | undefined;
  const count = (spent: Usage) => {
    usage = onlyUsage(spent);
  };
  try {
    return await askModel(ctx, prompt, { spending, count });
  } finally {
    const place = { deployment, conversationId: conversation.id };
    if (usage) await storeSideCost(ctx, place, { model, usage, spending, startedMs });
    await spending?.settle();
  }
}

async function hasEarlierReply(ctx: Context, { conversation, runId }: AcceptedTurn): Promise<boolean> {
  const earlier = await ctx.db.run.findFirst({
    where: { conversationId: conversation.id, status: 'completed', id: { not: runId } },
    select: { id: true },
  });
  return earlier !== null;
}

function transcript(entries: readonly TimelineEntry[], reply: string): string {
  const texts = entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role === 'user' ? [textOf(entry.content).slice(0, EXCERPT)] : [],
  );
  return [...texts.map((text) => `User: ${text}`), `Assistant: ${reply.slice(0, EXCERPT)}`].join('\n').toWellFormed();
}

/** Replaces only the name that the service gave: a user may have given another one, also while the turn was queued. */
async function rename(ctx: Context, { conversation }: AcceptedTurn, name: string | undefined): Promise<void> {
  if (!name) return;
  const first = await ctx.db.timelineItem.findFirst({
    where: { conversationId: conversation.id, kind: 'message' },
    orderBy: { id: 'asc' },
    select: { content: true },
  });
  if (!first) return;
  const given = titleOf(first.content as unknown as MessageContent);
  await ctx.db.conversation.updateMany({ where: { id: conversation.id, name: given }, data: { name } });
  publishConversationChange(ctx.services.stores.pubSub, ctx.environment.id, conversation.id);
}
