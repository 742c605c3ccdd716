import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { Notice } from '../../ui/notice.tsx';
import { countOf, formatCount, formatSeconds } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { DeploymentFilter, DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { RatingMarks } from '../feedback/rating-marks.tsx';
import { FilterSelect, Filters, TextFilter } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { ConversationBadge } from '../frame/run-badge.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useFilter, useHref, useListState } from '../location.ts';
import { type Money, useMoney } from '../money.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { CONVERSATION_TOTALS, CONVERSATIONS, CONVERSATIONS_OF_ID } from './documents.ts';
import { Labels, MetaFilter } from './meta-filter.tsx';
import { MORE_NAMES, MoreFilters } from './more-filters.tsx';
import { ResultExport } from './result-export.tsx';
import { SavedViews } from './saved-views.tsx';
import { ORDERS, type OrderField, STATUSES, useListFilter } from './use-list-filter.ts';

type Row = ResultOf<typeof CONVERSATIONS>['conversations']['nodes'][number];

/** The options of the filter, with the words of the URL. */
const STATUS_OPTIONS = Object.entries(STATUSES).map(([name, label]) => [enumValueOf(name), label] as const);

const RATINGS = [
  ['', 'All'],
  ['up', 'Helpful'],
  ['down', 'Not helpful'],
] as const;

export function Page() {
  const deployments = useDeployments();
  return (
    <PageFrame title="Conversations" lead="Updates live." actions={<ResultExport />}>
      <Filters
        lead={
          <TextFilter
            name="search"
            label="Search"
            placeholder="Words of a message or a title, or any ID"
            hint="Use “quotes” for exact words, OR between alternatives, and - before words to exclude."
            maxLength={LIMITS.searchLength}
          />
        }
        more={<MoreFilters />}
        moreNames={MORE_NAMES}
      >
        <DeploymentFilter deployments={deployments} />
        <FilterSelect name="status" label="Status" options={[['', 'All'], ...STATUS_OPTIONS]} />
        <FilterSelect name="rating" label="Rating" options={RATINGS} />
        <MetaFilter />
        <OrderFilter />
      </Filters>
      <SavedViews />
      <IdMatches />
      <List deployments={deployments} />
    </PageFrame>
  );
}

const ORDER_TITLES: Readonly<Record<OrderField, string>> = {
  updated_at: 'Latest activity',
  created_at: 'Started',
  message_count: 'Messages',
  response_time_ms: 'Slowest turn',
  cost: 'Cost',
};

/** The fields that sort the list. Those of the workflow log need its scope. */
function useOrderFields(): readonly OrderField[] {
  const canReadLog = usePermission('workflows:read');
  return (Object.keys(ORDERS) as OrderField[]).filter(
    (field) => canReadLog || (field !== 'cost' && field !== 'response_time_ms'),
  );
}

function OrderFilter() {
  const fields = useOrderFields();
  const options = fields.flatMap((field) => {
    const [down, up] = field.endsWith('_at') ? ['newest first', 'oldest first'] : ['highest first', 'lowest first'];
    const isDefault = field === 'updated_at';
    return [
      [isDefault ? '' : `${field}.desc`, `${ORDER_TITLES[field]}, ${down}`],
      [`${field}.asc`, `${ORDER_TITLES[field]}, ${up}`],
    ] as const;
  });
  return <FilterSelect name="order" label="Sort by" options={options} />;
}

/** A text without spaces can be an ID. Then the conversation of this ID comes first. */
function IdMatches() {
  const href = useHref();
  const state = useListState();
  const [text] = useFilter('search');
  const id = text.trim();
  const isPossible = /^\S{4,}$/.test(id) && id.length <= LIMITS.searchLength;
  const query = useServiceQuery(CONVERSATIONS_OF_ID, { id }, { pause: !isPossible });
  const found = isPossible ? (query.data?.conversations.nodes ?? []) : [];
  if (found.length === 0) return null;
  return (
    <Notice>
      This ID belongs to{' '}
      {found.map(({ conversationId, name }, index) => (
        <span key={conversationId}>
          {index > 0 && ', '}
          <Link
            to={href(`/conversations/${conversationId}`)}
            state={state}
            className="font-medium text-accent underline"
          >
            {name}
          </Link>
        </span>
      ))}
      .
    </Notice>
  );
}

function List({ deployments }: { readonly deployments: ReturnType<typeof useDeployments> }) {
  const { filter, order, orderBy } = useListFilter();
  const [, setOrder] = useFilter('order');
  const columns = useColumns(deployments);
  const query = useServiceQuery(CONVERSATIONS, { filter, orderBy, ...usePosition() });
  const onSort = (field: string) => {
    const direction = field === order.field && order.direction === 'desc' ? 'asc' : 'desc';
    setOrder(field === 'updated_at' && direction === 'desc' ? '' : `${field}.${direction}`);
  };
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Loaded query={query}>
      {({ conversations: { nodes, pageInfo } }) => (
        <div>
          {nodes.length > 0 && <Totals />}
          <Table
            label="Conversations"
            columns={columns}
            rows={nodes}
            keyOf={({ conversationId }) => conversationId}
            empty={isFiltered ? <NoMatches /> : 'No conversations yet. A conversation appears here when it starts.'}
            sort={{ ...order, onSort }}
          />
          <Pager
            pageInfo={pageInfo}
            labels={order.field === 'updated_at' ? ['Newer', 'Older'] : ['Previous', 'Next']}
          />
        </div>
      )}
    </Loaded>
  );
}

function NoMatches() {
  const href = useHref();
  return (
    <p>
      No conversations match these filters. Remove a filter, or{' '}
      <Link to={href('/conversations')} className="text-accent underline">
        show all conversations
      </Link>
      .
    </p>
  );
}

function useColumns(deployments: ReturnType<typeof useDeployments>): Column<Row>[] {
  const href = useHref();
  const state = useListState();
  const canReadLog = usePermission('workflows:read');
  const money = useMoney();
  const usage: Column<Row>[] = [
    {
      title: 'Slowest turn',
      numeric: true,
      sortBy: 'response_time_ms',
      cell: ({ usage: own }) => (own?.responseTimeMs == null ? '–' : formatSeconds(own.responseTimeMs / 1_000)),
    },
    { title: 'Cost', numeric: true, sortBy: 'cost', cell: ({ usage: own }) => money.format(own?.cost ?? null) },
  ];
  return [
    {
      title: 'Conversation',
      cell: ({ conversationId, name, meta, ratings }) => (
        <>
          <Link
            to={href(`/conversations/${conversationId}`)}
            state={state}
            className="font-medium text-accent hover:underline"
          >
            {name}
          </Link>
          <Labels meta={meta} />
          <RatingMarks {...ratings} />
        </>
      ),
    },
    { title: 'Status', cell: (row) => <ConversationBadge {...row} /> },
    { title: 'Deployment', cell: ({ deploymentId }) => <DeploymentLink {...{ deployments, deploymentId }} /> },
    {
      title: 'Messages',
      numeric: true,
      sortBy: 'message_count',
      cell: ({ messageCount }) => formatCount(messageCount),
    },
    ...(canReadLog ? usage : []),
    { title: 'Latest activity', sortBy: 'updated_at', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}

/** The totals of all conversations that match, not only of this page. */
function Totals() {
  const { filter } = useListFilter();
  const money = useMoney();
  const totals = useServiceQuery(CONVERSATION_TOTALS, { filter }).data?.conversationTotals;
  return (
    // Keeps the room of the text: two lines on a phone.
    <p role="status" aria-label="Totals" className="mb-3 min-h-10 text-sm text-muted sm:min-h-5">
      {totals && totalsText(totals, money)}
    </p>
  );
}

type TotalsData = ResultOf<typeof CONVERSATION_TOTALS>['conversationTotals'];

function totalsText({ conversations, usage }: TotalsData, money: Money): string {
  const parts = [
    countOf(conversations, 'conversation'),
    ...(usage
      ? [
          countOf(usage.turns, 'turn'),
          `${formatCount(usage.failures)} failed`,
          countOf(usage.inputTokens, 'input token'),
          countOf(usage.outputTokens, 'output token'),
          ...(usage.cost === null ? [] : [`${money.format(usage.cost)} cost`]),
        ]
      : []),
  ];
  return parts.join(' · ');
}
