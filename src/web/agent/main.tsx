import { createClient } from '../../sdk/index.ts';
import { mountHosted } from '../hosted/mount-hosted.ts';
import { AgentPage } from './agent-page.tsx';
import { watchConnection } from './connection.ts';

mountHosted((data) => {
  const connection = watchConnection();
  const client = createClient({
    baseUrl: location.origin,
    deploymentId: data.deploymentId,
    fetch: connection.fetch,
  });
  return <AgentPage {...{ client, connection, data }} />;
});
