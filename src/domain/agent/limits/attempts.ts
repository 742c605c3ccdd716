import { LIMITS } from '../../../contract/limits.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';

/**
 * How many more times another process can take a new run over. A background turn has no client that could repeat it,
 * so it is always continued.
 */
export function attemptsLeft({ recovery, maxAttempts }: WorkflowConfig, background: boolean): number {
  if (recovery === 'continue') return maxAttempts - 1;
  return background ? LIMITS.defaultTurnAttempts - 1 : 0;
}
