import type { RunStatus } from '../../contract/statuses.ts';

/** Every move a run may make (SPEC 3, WIRE 7). Nothing leaves a status that is not a key with targets. */
const RUN_MOVES = {
  running: ['waiting_for_client_action', 'completed', 'interrupted', 'failed'],
  waiting_for_client_action: ['running', 'expired', 'interrupted', 'failed'],
  completed: [],
  interrupted: [],
  failed: [],
  expired: [],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

/** The statuses that a run may come from: what a guarded UPDATE asks for. No row updated means a lost race. */
export function sourcesOf(target: RunStatus): RunStatus[] {
  const sources = Object.keys(RUN_MOVES) as RunStatus[];
  return sources.filter((source) => (RUN_MOVES[source] as readonly RunStatus[]).includes(target));
}
