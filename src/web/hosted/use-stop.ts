import { useState } from 'react';
import type { ParleyError } from '../../sdk/index.ts';

export interface Stop {
  /** Stops the turn. Undefined if no turn is running, or if its conversation has no ID yet. */
  readonly stop: (() => void) | undefined;
  readonly isStopping: boolean;
  /** Why the turn could not be stopped. Null when the turn has ended. */
  readonly error: ParleyError | null;
}

interface Turn {
  readonly status: string;
  readonly conversationId: string | null;
  readonly stop: () => Promise<unknown>;
}

/** Stops the running turn, also a turn of another window. */
export function useStop({ status, conversationId, stop }: Turn): Stop {
  const canStop = status === 'running' && conversationId !== null;
  const [isStopping, setStopping] = useState(false);
  const [error, setError] = useState<ParleyError | null>(null);
  const onStop = () => {
    if (isStopping) return;
    setStopping(true);
    setError(null);
    stop()
      .catch(setError)
      .finally(() => setStopping(false));
  };
  return { stop: canStop ? onStop : undefined, isStopping, error: canStop ? error : null };
}
