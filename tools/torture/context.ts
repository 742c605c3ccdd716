import type pg from 'pg';
import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import type { Client } from '../../test/support/client.ts';
import { resultOf } from '../../test/support/results.ts';
import { workflowsOf } from '../../test/support/workflows.ts';
import type { Caller } from './caller.ts';
import type { Fleet } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Recovery } from './plan.ts';
import type { Random } from './random.ts';

/** The deployments under load. */
export interface Deployments {
  readonly chat: string;
  readonly agent: string;
  readonly enqueue: string;
  readonly interrupt: string;
}

/** The draft of a workflow. */
export interface Draft {
  readonly allowConversationCompletion: boolean;
  readonly allowHandOver: boolean;
  readonly resourceTools: readonly string[];
  readonly recovery?: 'CONTINUE';
  readonly maxAttempts?: number;
  readonly httpActions?: readonly object[];
}

/** The shared context of all lanes. */
export interface TortureContext {
  readonly seed: number;
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly journal: Journal;
  readonly deployments: Deployments;
  /** The sessions of those who take conversations over. Undefined: a person of a connected system, with the API key. */
  readonly members: readonly (string | undefined)[];
  readonly recovery: Recovery;
  /** The database of the service. Undefined if it is embedded. */
  readonly database: pg.Pool | undefined;
  /** Whether lanes must start nothing more. */
  isOver(): boolean;
}

/** One action of a lane. Its random draws depend only on the seed, the lane and its number. */
export interface Action extends TortureContext {
  readonly random: Random;
  /** Unique to the texts of this action. */
  readonly tag: string;
}

/** The tag of a text or of its reply. */
export function tagIn(text: string): string | undefined {
  return /#[\w.-]+#/.exec(text)?.[0];
}

/** How long a turn can take: until its process is taken for dead, and one time after the other with `continue`. */
export function longestTurnMs({ recovery }: Pick<TortureContext, 'recovery'>): number {
  return recovery === 'continue' ? 80_000 : 30_000;
}

export async function makeDeployments(client: Client, draft: Draft): Promise<Deployments> {
  const created = async (doubleTextPolicy: 'REJECT' | 'ENQUEUE' | 'INTERRUPT') => {
    const { createWorkflow, createDeployment, publish } = workflowsOf(client);
    const { workflowId } = resultOf(await createWorkflow({ input: { name: doubleTextPolicy, draft } }));
    const input = { name: doubleTextPolicy, kind: 'AGENT', doubleTextPolicy };
    const { deploymentId } = resultOf(await createDeployment({ id: workflowId, input }));
    resultOf(await publish({ id: workflowId, deployments: [deploymentId] }));
    return deploymentId as string;
  };
  return {
    chat: draft.recovery ? await created('REJECT') : DEMO_CHAT_ID,
    agent: await created('REJECT'),
    enqueue: await created('ENQUEUE'),
    interrupt: await created('INTERRUPT'),
  };
}
