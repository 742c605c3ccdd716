import type pg from 'pg';
import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import type { Client } from '../../test/support/client.ts';
import { resultOf, workflowsOf } from '../../test/support/workflows.ts';
import type { Caller } from './caller.ts';
import type { Fleet } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Random } from './random.ts';

/** Deployments that are under load. */
export interface Deployments {
  readonly chat: string;
  readonly agent: string;
  readonly enqueue: string;
  readonly interrupt: string;
}

/** What all lanes have in common. */
export interface Stage {
  readonly seed: number;
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly journal: Journal;
  readonly deployments: Deployments;
  /** The database beside the service; undefined where it is embedded. */
  readonly database: pg.Pool | undefined;
  /** Whether lanes are to begin nothing more. */
  over(): boolean;
}

/** One action of a lane: its draws depend on the seed, the lane and its number alone. */
export interface Move extends Stage {
  readonly random: Random;
  /** In the texts of this move, and of no other. */
  readonly tag: string;
}

/** The tag of a text, or of a reply to it. */
export function tagIn(text: string): string | undefined {
  return /#[\w.-]+#/.exec(text)?.[0];
}

export async function makeDeployments(client: Client): Promise<Deployments> {
  const made = async (doubleTextPolicy: 'reject' | 'enqueue' | 'interrupt') => {
    const { createWorkflow, createDeployment, publish } = workflowsOf(client);
    const draft = { allowConversationCompletion: true, resourceTools: ['create_resource'] };
    const { workflowId } = resultOf(await createWorkflow({ input: { name: doubleTextPolicy, draft } }));
    const input = { name: doubleTextPolicy, kind: 'agent', doubleTextPolicy };
    const { deploymentId } = resultOf(await createDeployment({ id: workflowId, input }));
    resultOf(await publish({ id: workflowId, deployments: [deploymentId] }));
    return deploymentId as string;
  };
  return {
    chat: DEMO_CHAT_ID,
    agent: await made('reject'),
    enqueue: await made('enqueue'),
    interrupt: await made('interrupt'),
  };
}
