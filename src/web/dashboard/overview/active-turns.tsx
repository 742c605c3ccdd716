import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { Time } from '../../ui/time.tsx';
import { DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { RunBadge } from '../frame/run-badge.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { ACTIVE_TURNS } from './documents.ts';

type Row = ResultOf<typeof ACTIVE_TURNS>['conversations']['nodes'][number];

/** Conversations with a turn that is running or waits for the client. */
export function ActiveTurns() {
  const href = useHref();
  const deployments = useDeployments();
  const query = useServiceQuery(ACTIVE_TURNS, {});
  const columns: Column<Row>[] = [
    {
      title: 'Conversation',
      cell: ({ conversationId, name }) => (
        <Link to={href(`/conversations/${conversationId}`)} className="font-medium text-accent hover:underline">
          {name}
        </Link>
      ),
    },
    { title: 'Turn', cell: ({ latestRun }) => latestRun && <RunBadge status={latestRun.status} /> },
    { title: 'Deployment', cell: ({ deploymentId }) => <DeploymentLink {...{ deployments, deploymentId }} /> },
    { title: 'Latest activity', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
  const more = (
    <Link to={href('/conversations', { status: 'waiting_for_client_action' })} className="text-accent hover:underline">
      All waiting
    </Link>
  );
  return (
    <Section title="In progress" actions={more}>
      <Loaded query={query}>
        {({ conversations: { nodes } }) => (
          <Table
            label="In progress"
            columns={columns}
            rows={nodes}
            keyOf={({ conversationId }) => conversationId}
            empty="No turns in progress. A turn appears here when it starts."
          />
        )}
      </Loaded>
    </Section>
  );
}
