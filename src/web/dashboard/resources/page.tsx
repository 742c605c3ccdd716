import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import { parseJson } from '../forms/rules.ts';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useFilter, useHref, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { CreateResource } from './create-resource.tsx';
import { RESOURCES } from './documents.ts';
import { ResourceFilters } from './resource-filters.tsx';

type Row = ResultOf<typeof RESOURCES>['resources']['nodes'][number];

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Resource', cell: (row) => <ResourceLink {...row} /> },
  { title: 'Type', cell: ({ type }) => <TypeLink type={type} /> },
  { title: 'Fields', cell: ({ fields }) => <Fields fields={fields} /> },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function Page() {
  const [type] = useFilter('type');
  const [name] = useFilter('field');
  const [value] = useFilter('value');
  const parsed = parseJson(value);
  // A user can edit the URL, so its value may be invalid JSON.
  const isValid = name === '' || parsed.problem === undefined;
  const field = name !== '' && parsed.problem === undefined ? { name, value: parsed.value } : null;
  const query = useServiceQuery(RESOURCES, { type: type || null, field, ...usePosition() }, { pause: !isValid });
  const canWrite = usePermission('resources:write');
  const [isCreating, setCreating] = useState(false);
  useOnCreate(() => setCreating(canWrite));
  return (
    <PageFrame
      title="Resources"
      lead="Data that agents and your systems share, like contacts or orders."
      actions={
        canWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" className="size-4" /> New resource
          </Button>
        )
      }
    >
      <ResourceFilters key={JSON.stringify([type, name, value])} {...{ type, value }} field={name} />
      {isValid && (
        <Loaded query={query}>
          {({ resources: { nodes, pageInfo } }) => (
            <div>
              <Table
                label="Resources"
                columns={COLUMNS}
                rows={nodes}
                keyOf={({ resourceId }) => resourceId}
                empty={
                  type || name
                    ? 'No resources match these filters.'
                    : 'No resources yet. Create one here, through the API, or let an agent create them.'
                }
              />
              <Pager pageInfo={pageInfo} />
            </div>
          )}
        </Loaded>
      )}
      {isCreating && <CreateResource type={type} onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}

function ResourceLink({ resourceId }: Pick<Row, 'resourceId'>) {
  const href = useHref();
  return (
    <Link to={href(`/resources/${resourceId}`)} className="wrap-anywhere font-mono text-sm text-accent hover:underline">
      {resourceId}
    </Link>
  );
}

function TypeLink({ type }: Pick<Row, 'type'>) {
  const href = useHref();
  return (
    <Link to={href('/resources', { type })} className="wrap-anywhere hover:underline">
      {type}
    </Link>
  );
}

/** The first four fields. */
function Fields({ fields }: Pick<Row, 'fields'>) {
  const shown = Object.entries(fields).slice(0, 4);
  if (shown.length === 0) return <span className="text-muted">–</span>;
  return (
    <span className="line-clamp-2 break-words text-sm md:max-w-md">
      {shown.map(([name, value]) => (
        <span key={name} className="mr-3 inline-block max-w-full">
          <span className="text-muted">{name}</span> {shortText(value)}
        </span>
      ))}
    </span>
  );
}

function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
