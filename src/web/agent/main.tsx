import { createClient } from '../../sdk/index.ts';
import { mount, pageData } from '../ui/mount.tsx';
import { AgentPage } from './agent-page.tsx';
import { watchConnection } from './connection.ts';
import type { AgentPageData } from './conversation.tsx';

const data = pageData<AgentPageData>();
const connection = watchConnection();
const { deploymentId } = data;
const client = createClient({ baseUrl: location.origin, deploymentId, fetch: connection.fetch });

mount(<AgentPage {...{ client, connection, data }} />);
