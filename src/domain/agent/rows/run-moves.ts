import type { RunStatus } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';

/** Every allowed change of a run's status. */
const RUN_MOVES = {
  running: ['waiting_for_client_action', 'completed', 'interrupted', 'failed'],
  waiting_for_client_action: ['running', 'expired', 'interrupted', 'failed'],
  completed: [],
  interrupted: [],
  failed: [],
  expired: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

/**
 * The statuses that can change to `target`: the guard of the UPDATE. If no row is updated, another process was first.
 */
export function sourcesOf(target: RunStatus): RunStatus[] {
  const sources = Object.keys(RUN_MOVES) as RunStatus[];
  return sources.filter((source) => (RUN_MOVES[source] as readonly RunStatus[]).includes(target));
}

/**
 * The columns of the CTE `moved`, which every statement that changes a run has. The other CTEs join it by any of them,
 * so each `moved` returns all of them.
 */
export const MOVED_RUN = Prisma.sql`run.id, run.environment_id, run.conversation_id, run.status, run.step,
                run.finish_reason, run.error_code, run.updated_at`;

/** The statement that asks the process of a conversation's running turn to stop it. Call `requestInterruption` after the commit. */
export function markInterrupted(environmentId: string, conversationId: string): Prisma.Sql {
  return Prisma.sql`
    UPDATE run SET interrupted = true
    WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${environmentId}::uuid
      AND status = 'running' AND NOT interrupted`;
}

/** The abort reason of a run that is no longer wanted. The message says why. */
export class InterruptedError extends Error {
  constructor(message = 'a client or its next message stopped a turn') {
    super(message);
    this.name = 'InterruptedError';
  }
}

/** The abort reason of a run whose process shuts down. Another process can continue the run. */
export class HandOverError extends Error {
  constructor() {
    super('the process shuts down');
    this.name = 'HandOverError';
  }
}

/** This process no longer owns the run: its lease expired and another process has it. Write nothing more. */
export class LeaseLostError extends Error {
  constructor() {
    super('another process took the run over');
    this.name = 'LeaseLostError';
  }
}
