import type { ResultOf } from 'gql.tada';
import { Link } from 'wouter';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { formatCount } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { TextFilter } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useFilter, useGo, useHref, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { DOCUMENTS } from './documents.ts';
import { formatMs, KINDS } from './format.ts';
import { TypedFiles } from './typed-files.tsx';

type Row = ResultOf<typeof DOCUMENTS>['documents']['nodes'][number];

export function Page() {
  const go = useGo();
  const href = useHref();
  const canWrite = usePermission('documents:write');
  const [search] = useFilter('search');
  const query = useServiceQuery(DOCUMENTS, {
    filter: search ? { search: search.slice(0, LIMITS.documentNameLength) } : null,
    ...usePosition(),
  });
  const create = () => go('/documents/new');
  useOnCreate(() => canWrite && create());
  return (
    <PageFrame
      title="Published operations"
      lead="A published GraphQL operation is a REST path, an MCP tool, a trusted document and typed files."
      actions={
        canWrite && (
          <Button look="primary" onClick={create}>
            <Icon name="plus" className="size-4" /> New operation
          </Button>
        )
      }
    >
      <div className="sm:max-w-xs">
        <TextFilter name="search" label="Name" placeholder="order_summary" maxLength={LIMITS.documentNameLength} />
      </div>
      <Loaded query={query}>
        {({ documents: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Published operations"
              columns={columnsOf(href)}
              rows={nodes}
              keyOf={({ documentId }) => documentId}
              empty={
                search
                  ? 'No operations match this name.'
                  : 'No operations yet. Publish an operation to call it by its name over REST, MCP and GraphQL.'
              }
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      <Section title="Typed files">
        <TypedFiles />
      </Section>
    </PageFrame>
  );
}

function columnsOf(href: ReturnType<typeof useHref>): Column<Row>[] {
  return [
    {
      title: 'Name',
      cell: ({ documentId, name }) => (
        <Link to={href(`/documents/${documentId}`)} className="wrap-anywhere font-mono text-sm text-accent underline">
          {name}
        </Link>
      ),
    },
    { title: 'Operation', cell: ({ kind }) => KINDS[kind] },
    { title: 'Version', numeric: true, cell: ({ version }) => version },
    { title: 'Calls in 30 days', numeric: true, cell: ({ calls }) => formatCount(calls.calls) },
    { title: 'Errors', numeric: true, cell: ({ calls }) => formatCount(calls.errors) },
    { title: 'p95', numeric: true, cell: ({ calls }) => formatMs(calls.p95Ms) },
    { title: 'Published', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
