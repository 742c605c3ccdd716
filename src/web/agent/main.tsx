import { createClient } from '../../sdk/index.ts';
import { mountHosted } from '../hosted/mount-hosted.tsx';
import { AgentPage } from './agent-page.tsx';
import { watchConnection } from './connection.ts';

mountHosted((data, user) => {
  const connection = watchConnection();
  const client = createClient({
    baseUrl: location.origin,
    deploymentId: data.deploymentId,
    fetch: connection.fetch,
    getToken: user?.getToken,
  });
  return <AgentPage {...{ client, connection, data, user }} />;
});
