import { expect } from 'vitest';
import { makeBudget } from './budgets.ts';
import type { FakeReply } from './fake-provider.ts';
import { type ProviderService, startProviderService } from './provider-service.ts';
import { openSession } from './tenants.ts';

/** 100 tokens of input and 40 of output. */
export const REPLY: FakeReply = { kind: 'answer', deltas: ['Hi'], usage: { input: 100, output: 40 } };

type PausingBudget = Partial<Parameters<typeof makeBudget>[1]>;

/** A turn that waits for a budget. */
type Paused = Readonly<Record<'conversationId' | 'callId', string>>;

/** An agent whose turns wait for a budget, and a member who can raise it. */
export class PausedTurns {
  readonly parts: ProviderService;
  readonly agent: string;
  readonly environmentId: string;
  readonly member: string;

  private constructor(parts: ProviderService, agent: string, environmentId: string, member: string) {
    this.parts = parts;
    this.agent = agent;
    this.environmentId = environmentId;
    this.member = member;
  }

  static async start(): Promise<PausedTurns> {
    const parts = await startProviderService();
    const agent = await parts.agent({ maxReplyTokens: 256 });
    const { prisma } = parts.service.service.services.stores;
    const { id } = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
    return new PausedTurns(parts, agent, id, await openSession(parts.service, 'developer'));
  }

  get db() {
    return this.parts.service.service.services.stores.prisma;
  }

  /** Ends what other tests left: turns that still wait would spend the budget of the next one. */
  async reset(): Promise<void> {
    await this.db.timelineItem.updateMany({ where: { status: 'pending' }, data: { status: 'cancelled' } });
    await this.db.budget.deleteMany();
    this.parts.provider.reply(REPLY);
  }

  /** A budget without room for a step. Returns its ID. */
  pausing(fields: PausingBudget = {}): Promise<string> {
    return makeBudget(this.db, { environmentId: this.environmentId, amount: 200, onReached: 'pause', ...fields });
  }

  async waiting() {
    const { status, body } = await this.parts.turn(this.agent);
    expect([status, body.run_status]).toEqual([200, 'waiting_for_client_action']);
    const [call] = body.client_tool_calls;
    return { conversationId: body.conversation_id, runId: body.run_id, callId: call.call_id, call };
  }

  /** Answers with a session. Null: with the key. */
  answer({ conversationId, callId }: Paused, output: object, session: string | null = this.member) {
    return this.parts.service.send('POST', `/v2/runner/${this.agent}/conversation`, {
      body: { conversation_id: conversationId, tool_results: [{ call_id: callId, output }] },
      headers: session === null ? {} : { authorization: `Bearer ${session}` },
    });
  }

  runOf(id: string) {
    return this.db.run.findFirstOrThrow({ where: { id } });
  }
}
