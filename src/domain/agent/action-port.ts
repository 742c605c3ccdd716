import type { RunnableWorkflow } from '../workflows/deployments.ts';
import type { OfferedTool } from './tools.ts';

/** What a server action gave. `output` is what the model is told; it holds no secret. */
export interface ActionResult {
  readonly status: 'completed' | 'failed';
  readonly output: Readonly<Record<string, unknown>>;
}

/** Server actions that a workflow configures: what they are, and how to run one. */
export interface ActionPort {
  offered(deployment: RunnableWorkflow): readonly OfferedTool[];
  /** Never throws: a fault is a failed result. */
  run(
    deployment: RunnableWorkflow,
    call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<ActionResult>;
}

/** For workflows without actions. */
export const NO_ACTIONS: ActionPort = {
  offered: () => [],
  run: async (_deployment, { name }) => ({ status: 'failed', output: { error: `There is no action ${name}.` } }),
};
