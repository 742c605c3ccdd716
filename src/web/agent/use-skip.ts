import { useState } from 'react';
import type { MessageContent, ParleyError } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import type { Turns } from './use-turns.ts';

export interface Skip {
  /** Cancels the pending calls and sends a message instead. Rejects if the message was not stored. */
  send(content: MessageContent): Promise<void>;
  readonly isSkipping: boolean;
  /** Why the calls could not be cancelled. Null after the next attempt. */
  readonly error: ParleyError | null;
}

/** Sends a message while calls are pending. The service rejects it until their turn has been stopped. */
export function useSkip(agent: UseAgent, send: Turns['send']): Skip {
  const [isSkipping, setSkipping] = useState(false);
  const [error, setError] = useState<ParleyError | null>(null);
  const cancel = async () => {
    setSkipping(true);
    setError(null);
    try {
      await agent.stop();
    } catch (thrown) {
      setError(thrown as ParleyError);
      throw thrown;
    } finally {
      setSkipping(false);
    }
  };
  return {
    async send(content) {
      await cancel();
      await send(content);
    },
    isSkipping,
    error,
  };
}
