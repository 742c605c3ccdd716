import type { EnvironmentKind } from '../../contract/statuses.ts';
import type { EnvironmentRef } from '../caller.ts';

/** The columns of the environment `e` in a statement that identifies a caller. */
export interface EnvironmentRow {
  id: string;
  environment_id: string;
  kind: EnvironmentKind;
  workspace_id: string;
  environment_per_minute: number | null;
  concurrent_runs: number | null;
  extra_columns: unknown;
}

export function environmentRef({
  environment_id: id,
  kind,
  workspace_id: workspaceId,
}: EnvironmentRow): EnvironmentRef {
  return { id, kind, workspaceId };
}

export function environmentLimits(row: Pick<EnvironmentRow, 'environment_per_minute' | 'concurrent_runs'>) {
  return { environmentPerMinute: row.environment_per_minute, concurrentRuns: row.concurrent_runs };
}
