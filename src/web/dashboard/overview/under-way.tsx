import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { Time } from '../../ui/time.tsx';
import { RunBadge } from '../conversations/run-badge.tsx';
import { DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { useHref } from '../location.ts';
import { useReading } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Section } from '../shell/page-frame.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { UNDER_WAY } from './documents.ts';

type Row = ResultOf<typeof UNDER_WAY>['conversations']['nodes'][number];

/** Conversations whose turn is at work, or waits for its client. */
export function UnderWay() {
  const href = useHref();
  const deployments = useDeployments();
  const reading = useReading(UNDER_WAY, {});
  const columns: Column<Row>[] = [
    {
      title: 'Conversation',
      cell: ({ conversationId, name }) => (
        <Link to={href(`/conversations/${conversationId}`)} className="font-medium text-accent hover:underline">
          {name}
        </Link>
      ),
    },
    // An ordinary chat does not wait: its turn is at work.
    { title: 'Turn', cell: ({ run }) => <RunBadge status={run?.status ?? 'running'} /> },
    { title: 'Deployment', cell: ({ deploymentId }) => <DeploymentLink {...{ deployments, deploymentId }} /> },
    { title: 'Since', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
  const more = (
    <Link to={href('/conversations', { status: 'waiting_for_client_action' })} className="text-accent hover:underline">
      All that wait
    </Link>
  );
  return (
    <Section title="Under way" actions={more}>
      <Loaded reading={reading}>
        {({ conversations: { nodes } }) => (
          <Table
            label="Under way"
            columns={columns}
            rows={nodes}
            keyOf={({ conversationId }) => conversationId}
            empty="Nothing is running or waiting. Turns appear here as they begin."
          />
        )}
      </Loaded>
    </Section>
  );
}
