import { Link } from 'wouter';
import { enumValueOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { DeploymentFilter, useDeployments } from '../deployment-names/deployment-names.tsx';
import { FilterSelect, Filters, TextFilter } from '../frame/filters.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { useFilter, useHref, useListState } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { ConversationList } from './conversation-list.tsx';
import { CONVERSATIONS_OF_ID } from './documents.ts';
import { useListColumns } from './list-columns.tsx';
import { useRareFilters } from './rare-filters.tsx';
import { ResultExport } from './result-export.tsx';
import { SavedViews } from './saved-views.tsx';
import { ORDERS, type OrderField, STATUSES } from './use-list-filter.ts';

/** The options of the filter, with the words of the URL. */
const STATUS_OPTIONS = Object.entries(STATUSES).map(([name, label]) => [enumValueOf(name), label] as const);

export function Page() {
  const deployments = useDeployments();
  const { columns, items } = useListColumns(deployments);
  const columnMenu = (
    <Menu
      trigger={
        <>
          Columns <Icon name="chevron" className="size-4 rotate-90" />
        </>
      }
      className={`${buttonClass()} max-md:hidden`}
      groups={[{ items, isMultiple: true }]}
    />
  );
  return (
    <PageFrame
      title="Conversations"
      lead={
        <>
          Updates live.
          <span className="max-lg:hidden"> J and K go through the list, X shows a conversation next to it.</span>
        </>
      }
      actions={<ResultExport>{columnMenu}</ResultExport>}
    >
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
        rare={useRareFilters()}
      >
        <DeploymentFilter deployments={deployments} />
        <FilterSelect name="status" label="Status" options={[['', 'All'], ...STATUS_OPTIONS]} />
        <OrderFilter />
      </Filters>
      <SavedViews />
      <IdMatches />
      <ConversationList {...{ deployments, columns }} />
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

/** The order on a phone, where the list has no headers. */
function OrderFilter() {
  const canReadLog = usePermission('workflows:read');
  const fields = (Object.keys(ORDERS) as OrderField[]).filter(
    (field) => canReadLog || (field !== 'cost' && field !== 'response_time_ms'),
  );
  const options = fields.flatMap((field) => {
    const [down, up] = field.endsWith('_at') ? ['newest first', 'oldest first'] : ['highest first', 'lowest first'];
    const isDefault = field === 'updated_at';
    return [
      [isDefault ? '' : `${field}.desc`, `${ORDER_TITLES[field]}, ${down}`],
      [`${field}.asc`, `${ORDER_TITLES[field]}, ${up}`],
    ] as const;
  });
  return <FilterSelect name="order" label="Sort by" options={options} className="md:hidden" />;
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
