import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { EDIT_MESSAGE, REGENERATE_TURN } from '../../../shapes/branches.ts';
import { rulesOf } from '../../../shapes/field.ts';
import type { Context } from '../../context.ts';
import { isLongLine, mostOfLine } from '../../conversations/line-limits.ts';
import { requireEditing } from '../../conversations/may-edit.ts';
import { superseded } from '../../conversations/superseded.ts';
import { IS_ACTIVE } from '../../conversations/timeline.ts';
import { requireUsableFiles } from '../../files/use.ts';
import { parseInput } from '../../input.ts';
import { contentInput } from '../../message-content.ts';
import { atVersion, type PublishedDeployment, publishedDeployment } from '../../workflows/deployments.ts';
import { newTurn } from '../accept/accept.ts';
import { parseCapabilities } from '../accept/agent-input.ts';
import { requireBudget } from '../limits/budgets.ts';
import { countTurn } from '../limits/turn-limits.ts';
import { startedTurn, startTurn, type TurnOptions } from '../run/background.ts';
import { runToOutcome } from '../run/run-to-outcome.ts';
import { offeredTools, serverTools } from '../tools/tools.ts';
import type { AcceptedTurn, RecordedTurn, StartedTurn, TurnResult } from '../turn.ts';
import { existingTurn } from '../turns.ts';
import { acceptBranch } from './accept-branch.ts';
import { requireNoPersonAfter } from './answered-by-person.ts';
import { type BranchState, isIdle, onCurrentState, readBranchState } from './branch-state.ts';
import { effectsFrom, requireAcknowledged } from './effects.ts';
import { findMessage, type LineMessage, lastUserMessage } from './line-message.ts';

type Input = Readonly<Record<string, unknown>> & {
  readonly conversationId: string;
  readonly clientCapabilities?: unknown;
};

const { conversationId, acknowledgeEffects, historyLimit } = REGENERATE_TURN.fields;

const regenerated = z.object(
  rulesOf({ conversationId, acknowledgeEffects, historyLimit, messageId: REGENERATE_TURN.fields.messageId }),
);

const edited = z.object({
  ...rulesOf({ conversationId, acknowledgeEffects, historyLimit, messageId: EDIT_MESSAGE.fields.messageId }),
  content: contentInput,
});

/** What both operations take. */
interface Replacing {
  readonly conversationId: string;
  readonly acknowledgeEffects?: boolean | null | undefined;
  readonly historyLimit?: number | null | undefined;
  readonly messageId?: string | null | undefined;
  /** Of an edit. */
  readonly content?: AcceptedTurnContent;
}

type AcceptedTurnContent = LineMessage['content'];

/**
 * Runs the last turn of a conversation again. Its reply and its calls leave the active line.
 * @throws {ServiceError} invalid_request, not_found, forbidden, turn_has_effects, conversation_completed,
 * client_action_required, run_in_progress, message_superseded, rate_limited, and the errors of a turn
 */
export function regenerateTurn(
  ctx: Context,
  input: Input,
  options: TurnOptions = {},
): Promise<TurnResult | StartedTurn> {
  return replaceTurn(ctx, input, options, () => parseInput(regenerated, input));
}

/**
 * Replaces a message of the user, and everything after it, with another message and a new turn.
 * @throws {ServiceError} as `regenerateTurn`
 */
export function editMessage(ctx: Context, input: Input, options: TurnOptions = {}): Promise<TurnResult | StartedTurn> {
  return replaceTurn(ctx, input, options, () => parseInput(edited, input));
}

async function replaceTurn(
  ctx: Context,
  input: Input,
  { background = false }: TurnOptions,
  parse: () => Replacing,
): Promise<TurnResult | StartedTurn> {
  const recorded = ctx.request.claim?.effect as RecordedTurn | null | undefined;
  if (background && recorded) return startedTurn(ctx, recorded);
  const { deploymentId, workflowVersion } = await readBranchState(ctx, input.conversationId);
  const existing = await existingTurn(ctx, deploymentId);
  if (existing) return existing;
  ctx.services.process.runs.requireOpen();
  const published = await publishedDeployment(ctx, deploymentId);
  requireEditing(ctx, published);
  await countTurn(ctx, published, input.conversationId);
  const parsed = parse();
  const deployment = workflowVersion === null ? published : await atVersion(ctx, published, workflowVersion);
  await requireUsableFiles(ctx, parsed);
  const turn = await onCurrentState(() => accepted(ctx, deployment, { input, parsed, background }));
  return background ? startTurn(ctx, turn) : runToOutcome(ctx, turn);
}

interface Asked {
  readonly input: Input;
  readonly parsed: Replacing;
  readonly background: boolean;
}

/** Undefined if the conversation changed meanwhile. */
async function accepted(
  ctx: Context,
  deployment: PublishedDeployment,
  { input, parsed, background }: Asked,
): Promise<AcceptedTurn | undefined> {
  const state = await readBranchState(ctx, parsed.conversationId);
  const { messageId, content } = parsed;
  const isEdit = content !== undefined;
  const message = await (isEdit ? editable : lastMessage)(ctx, state.id, messageId);
  if (!(await isIdle(ctx, state))) return undefined;
  await requireNoPersonAfter(ctx, state.id, message.id, isEdit ? 'messageId' : 'conversationId');
  if (await isLongLine(ctx, state.id, Prisma.sql`${IS_ACTIVE} AND id >= ${message.id}`)) throw tooLong(ctx, isEdit);
  const conversation = { conversationId: state.id, deploymentId: deployment.id };
  const { effects, prior } = await effectsFrom(ctx, conversation, message.id);
  requireAcknowledged(effects, parsed.acknowledgeEffects ?? false);
  const { tools, canPause } = await toolsOf(ctx, deployment, input, state);
  const turn = newTurn(
    ctx,
    { content: content ?? message.content, historyLimit: parsed.historyLimit, triggerId: null },
    { deployment, tools, canPause, background, gone: undefined },
  );
  await requireBudget(ctx, { ...turn, conversationId: state.id, content });
  return acceptBranch(ctx, turn, { state, message, isEdit, prior });
}

function tooLong(ctx: Context, isEdit: boolean): ServiceError {
  const most = formatCount(mostOfLine(ctx).items);
  const message = isEdit
    ? `{param} has too many items after it: one request replaces at most ${most}. Edit a later message, or fork the conversation before this one.`
    : `The last turn of {param} has too many items: one request replaces at most ${most}. Fork the conversation before this turn.`;
  return new ServiceError('invalid_request', message, { param: [isEdit ? 'messageId' : 'conversationId'] });
}

type Named = string | null | undefined;

/**
 * The last message of the user. A named message must be that one, or its reply.
 * @throws {ServiceError} not_found, invalid_request, message_superseded
 */
async function lastMessage(ctx: Context, conversationId: string, messageId: Named): Promise<LineMessage> {
  const last = await lastUserMessage(ctx, conversationId);
  if (messageId == null) return last;
  const { id, supersededBy } = await findMessage(ctx, conversationId, messageId);
  if (supersededBy !== null) throw superseded(supersededBy, 'messageId');
  if (id >= last.id) return last;
  const text = '{param} must be in the last turn: the conversation has gone on. Edit the message, or fork before it.';
  throw new ServiceError('invalid_request', text, { param: ['messageId'] });
}

/** @throws {ServiceError} not_found, invalid_request, message_superseded */
async function editable(ctx: Context, conversationId: string, messageId: Named): Promise<LineMessage> {
  const message = await findMessage(ctx, conversationId, messageId ?? '');
  if (message.role !== 'user') {
    const text = "{param} must be the ID of a user's message: a reply can be regenerated, but not edited.";
    throw new ServiceError('invalid_request', text, { param: ['messageId'] });
  }
  if (message.supersededBy !== null) throw superseded(message.supersededBy, 'messageId');
  return message;
}

/** The turn runs like the one before: as v1 or v2, with its client tools unless the request lists others. */
async function toolsOf(ctx: Context, deployment: PublishedDeployment, input: Input, { run }: BranchState) {
  const isAgent = run?.agent === true || input.clientCapabilities != null;
  if (!isAgent) return { tools: await serverTools(ctx, deployment), canPause: false };
  const capabilities =
    input.clientCapabilities == null
      ? (run?.tools ?? []).filter(({ kind }) => kind === 'client_tool')
      : parseCapabilities(input);
  return { tools: await offeredTools(ctx, deployment, capabilities), canPause: true };
}
