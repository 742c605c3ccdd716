import { lazy, Suspense, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { retried } from '../../ui/load.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { useDeployments } from '../deployment-names/deployment-names.tsx';
import { isUuid } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useFilter, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { neighbourOf, useKeys } from '../single-keys.ts';
import { CONVERSATIONS } from './documents.ts';
import { type Row, useMainColumn } from './list-columns.tsx';
import { Totals } from './totals.tsx';
import { useListFilter } from './use-list-filter.ts';

const ConversationPane = lazy(async () => ({
  default: (await retried(() => import('./conversation-pane.tsx'))).ConversationPane,
}));

interface Props {
  readonly deployments: ReturnType<typeof useDeployments>;
  readonly columns: readonly Column<Row>[];
}

/** The list, and on a wide screen the conversation that is open next to it. */
export function ConversationList({ deployments, columns }: Props) {
  const { filter, order, orderBy } = useListFilter();
  const [, setOrder] = useFilter('order');
  const query = useServiceQuery(CONVERSATIONS, { filter, text: filter.text ?? null, orderBy, ...usePosition() });
  const nodes = query.data?.conversations.nodes ?? [];
  const preview = usePreview(nodes.map(({ conversationId }) => conversationId));
  const { opened, onOpen } = preview;
  const main = useMainColumn({ deployments, isAlone: opened !== '', onOpen });
  const onSort = (field: string) => {
    const direction = field === order.field && order.direction === 'desc' ? 'asc' : 'desc';
    setOrder(field === 'updated_at' && direction === 'desc' ? '' : `${field}.${direction}`);
  };
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div className={opened ? 'grid items-start gap-6 lg:grid-cols-[24rem_minmax(0,1fr)]' : ''}>
      <Loaded query={query}>
        {({ conversations: { pageInfo } }) => (
          <div className="min-w-0">
            {nodes.length > 0 && <Totals />}
            <Table
              label="Conversations"
              columns={opened ? [main] : [main, ...columns]}
              rows={nodes}
              keyOf={({ conversationId }) => conversationId}
              openKey={opened}
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
      {opened && (
        <section aria-label="Preview" className="hidden min-w-0 flex-col gap-4 lg:flex">
          <Suspense fallback={<Skeleton rows={6} />}>
            <ConversationPane key={opened} id={opened} />
          </Suspense>
        </section>
      )}
    </div>
  );
}

const linkOf = (id: string) => document.querySelector<HTMLElement>(`[data-row="${id}"]`);

/** The open conversation, and the keys of the list: J and K go to the next and the previous one, X opens and closes it. */
function usePreview(ids: readonly string[]) {
  const [value, setOpened] = useFilter('open');
  const opened = isUuid(value) ? value : '';
  const goTo = useRef('');
  useEffect(() => {
    // The rows are rendered again when the list becomes narrow.
    if (goTo.current) linkOf(goTo.current)?.focus();
    goTo.current = '';
  });
  const current = () => (document.activeElement as HTMLElement | null)?.dataset.row ?? opened;
  const move = (step: 1 | -1) => {
    const id = neighbourOf(ids, current(), step);
    if (id === undefined) return;
    linkOf(id)?.focus();
    if (opened) setOpened(id);
  };
  const toggle = () => {
    const id = current() || ids[0];
    if (id === undefined) return;
    goTo.current = id;
    setOpened(opened === id ? '' : id);
  };
  useKeys({ j: () => move(1), k: () => move(-1), x: toggle });
  return {
    opened,
    /** While a conversation is open, a click opens another one in its place. Enter opens the page. */
    onOpen(id: string, { detail }: { readonly detail: number }) {
      const isPointer = detail > 0;
      if (!opened || !isPointer || !matchMedia('(min-width: 64rem)').matches) return false;
      setOpened(id);
      return true;
    },
  };
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
