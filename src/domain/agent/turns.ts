import type { Context } from '../context.ts';
import { turnInput } from '../conversations/turn-input.ts';
import { parseInput } from '../input.ts';
import { publishedDeployment } from '../workflows/deployments.ts';
import { acceptTurn } from './accept.ts';
import { runTurn } from './run-turn.ts';
import type { FinishedTurn } from './turn.ts';

/** One v1 turn (SPEC 4.4): starts a conversation, or continues the one that is named. Offers no client tools. */
export async function sendMessage(ctx: Context, deploymentId: string, input: unknown): Promise<FinishedTurn> {
  return takeTurn(ctx, deploymentId, input, false);
}

/** One v2 turn (SPEC 4.1): starts or continues a durable agent conversation. */
export async function runAgentTurn(ctx: Context, deploymentId: string, input: unknown): Promise<FinishedTurn> {
  return takeTurn(ctx, deploymentId, input, true);
}

async function takeTurn(ctx: Context, deploymentId: string, input: unknown, agent: boolean): Promise<FinishedTurn> {
  ctx.services.runs.requireOpen();
  const deployment = await publishedDeployment(ctx, deploymentId);
  const turn = await acceptTurn(ctx, { deployment, input: parseInput(turnInput, input), agent, tools: [] });
  return runTurn(ctx, turn);
}
