import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { DeploymentFilter, DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { useFilter, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { FilterSelect, Filters, isUuid, TextFilter } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { CONVERSATIONS } from './documents.ts';
import { Labels, MetaFilter, useMetaFilter } from './meta-filter.tsx';
import { ConversationBadge } from './run-badge.tsx';

type Row = ResultOf<typeof CONVERSATIONS>['conversations']['nodes'][number];

const STATUSES = {
  RUNNING: 'Running',
  WAITING_FOR_CLIENT_ACTION: 'Waiting for the client',
  FAILED: 'Failed',
  INTERRUPTED: 'Interrupted',
  ACTIVE: 'Active',
  COMPLETED: 'Completed',
} as const;

/** The options of the filter, with the words of the URL. */
const OPTIONS = Object.entries(STATUSES).map(([name, label]) => [enumValueOf(name), label] as const);

export function Page() {
  const deployments = useDeployments();
  return (
    <PageFrame title="Conversations" lead="Updates live.">
      <Filters>
        <TextFilter name="search" label="Search" placeholder="Part of the title" maxLength={LIMITS.searchLength} />
        <DeploymentFilter deployments={deployments} />
        <FilterSelect name="status" label="Status" options={[['', 'All'], ...OPTIONS]} />
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
  const query = useServiceQuery(CONVERSATIONS, { filter, ...usePosition() });
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
    { title: 'Messages', numeric: true, cell: ({ messageCount }) => formatCount(messageCount) },
    { title: 'Latest activity', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
  return (
    <Loaded query={query}>
      {({ conversations: { nodes, pageInfo } }) => (
        <div>
          <Table
            label="Conversations"
            columns={columns}
            rows={nodes}
            keyOf={({ conversationId }) => conversationId}
            empty={
              isFiltered
                ? 'No conversations match these filters.'
                : 'No conversations yet. A conversation appears here when it starts.'
            }
          />
          <Pager pageInfo={pageInfo} />
        </div>
      )}
    </Loaded>
  );
}

/** The filters in the URL. */
function useConversationFilter() {
  const [search] = useFilter('search');
  const [deploymentId] = useFilter('deployment');
  const [requested] = useFilter('status');
  const meta = useMetaFilter();
  const status = Object.keys(STATUSES).find((one) => enumValueOf(one) === requested) as
    | keyof typeof STATUSES
    | undefined;
  return {
    ...(search && { search }),
    ...(isUuid(deploymentId) && { deploymentId }),
    ...((status === 'ACTIVE' || status === 'COMPLETED') && { status }),
    ...(status && status !== 'ACTIVE' && status !== 'COMPLETED' && { runStatuses: [status] }),
    ...(Object.keys(meta).length > 0 && { meta }),
  };
}
