import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { Time } from '../../ui/time.tsx';
import { DeploymentFilter, DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { useFilter, useHref } from '../location.ts';
import { countOf } from '../numbers.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { FilterSelect, Filters, isUuid, TextFilter } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { CONVERSATIONS } from './documents.ts';
import { Labels, MetaFilter, useMetaFilter } from './meta-filter.tsx';
import { ConversationBadge } from './run-badge.tsx';

type Row = ResultOf<typeof CONVERSATIONS>['conversations']['nodes'][number];

const STATUSES = {
  running: 'Running',
  waiting_for_client_action: 'Waiting for the client',
  failed: 'Latest turn failed',
  interrupted: 'Latest turn interrupted',
  active: 'Active: takes turns',
  completed: 'Completed for ever',
} as const;

export function Page() {
  const deployments = useDeployments();
  return (
    <PageFrame title="Conversations" lead="New ones and changed ones come by themselves.">
      <Filters>
        <TextFilter name="search" label="Search" placeholder="Part of the title" maxLength={200} />
        <DeploymentFilter deployments={deployments} />
        <FilterSelect name="status" label="Status" options={[['', 'All'], ...Object.entries(STATUSES)]} />
        <MetaFilter />
      </Filters>
      <List deployments={deployments} />
    </PageFrame>
  );
}

function List({ deployments }: { readonly deployments: ReturnType<typeof useDeployments> }) {
  const href = useHref();
  const filter = useConversationFilter();
  const isFiltered = Object.keys(filter).length > 0;
  const reading = useReading(CONVERSATIONS, { filter, ...usePosition() });
  const columns: Column<Row>[] = [
    {
      title: 'Conversation',
      cell: ({ conversationId, name, meta }) => (
        <>
          <Link to={href(`/conversations/${conversationId}`)} className="font-medium text-accent hover:underline">
            {name}
          </Link>
          <Labels meta={meta} />
        </>
      ),
    },
    { title: 'Status', cell: (row) => <ConversationBadge {...row} /> },
    { title: 'Deployment', cell: ({ deploymentId }) => <DeploymentLink {...{ deployments, deploymentId }} /> },
    { title: 'Messages', numeric: true, cell: ({ messageCount }) => countOf(messageCount) },
    { title: 'Latest activity', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
  return (
    <Loaded reading={reading}>
      {({ conversations: { nodes, pageInfo } }) => (
        <div>
          <Table
            label="Conversations"
            columns={columns}
            rows={nodes}
            keyOf={({ conversationId }) => conversationId}
            empty={
              isFiltered
                ? 'No conversation is like that.'
                : 'No conversation yet. The first one appears here as it begins.'
            }
          />
          <Pager pageInfo={pageInfo} />
        </div>
      )}
    </Loaded>
  );
}

/** What the address says of which conversations are listed. */
function useConversationFilter() {
  const [search] = useFilter('search');
  const [deploymentId] = useFilter('deployment');
  const [standing] = useFilter('status');
  const meta = useMetaFilter();
  const status = Object.keys(STATUSES).find((one) => one === standing) as keyof typeof STATUSES | undefined;
  return {
    ...(search && { search }),
    ...(isUuid(deploymentId) && { deploymentId }),
    ...((status === 'active' || status === 'completed') && { status }),
    ...(status && status !== 'active' && status !== 'completed' && { runStatuses: [status] }),
    ...(Object.keys(meta).length > 0 && { meta }),
  };
}
