import { useMemo } from 'react';
import { createClient, type ParleyClient } from '../../../sdk/index.ts';
import { type UseAgent, useAgent } from '../../../sdk/react/index.ts';
import { type Environment, useEnvironment } from '../location.ts';

/** A conversation with its latest items, updated live. The member answers calls with it. */
export function useConversation(id: string, deploymentId: string): UseAgent {
  const environment = useEnvironment();
  const client = useMemo(() => clientOf(environment, deploymentId), [environment, deploymentId]);
  // Without capabilities: an answer of a member keeps the client tools of the turn.
  return useAgent(client, id, { limit: 50 });
}

/** A client that uses the browser's session and the dashboard's environment. */
function clientOf(environment: Environment, deploymentId: string): ParleyClient {
  return createClient({
    baseUrl: location.origin,
    deploymentId,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-environment', environment);
      return fetch(input, { ...init, headers });
    },
  });
}
