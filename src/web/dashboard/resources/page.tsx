import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import { readJson } from '../build/json.ts';
import { useFilter, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { useMay } from '../session/session.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { CreateResource } from './create-resource.tsx';
import { RESOURCES } from './documents.ts';
import { Filters } from './filters.tsx';

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
  const read = readJson(value);
  // An address that somebody wrote by hand may hold anything.
  const isReadable = name === '' || read.problem === undefined;
  const field = name !== '' && read.problem === undefined ? { name, value: read.value } : null;
  const reading = useReading(RESOURCES, { type: type || null, field, ...usePosition() }, { pause: !isReadable });
  const mayWrite = useMay('resources:write');
  const [isCreating, setCreating] = useState(false);
  return (
    <PageFrame
      title="Resources"
      lead="Data of your own that agents and your systems share: contacts, orders, whatever you name."
      actions={
        mayWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" className="size-4" /> New resource
          </Button>
        )
      }
    >
      <Filters key={JSON.stringify([type, name, value])} {...{ type, name, value }} />
      {isReadable && (
        <Loaded reading={reading}>
          {({ resources: { nodes, pageInfo } }) => (
            <div>
              <Table
                label="Resources"
                columns={COLUMNS}
                rows={nodes}
                keyOf={({ resourceId }) => resourceId}
                empty={
                  type || name
                    ? 'There is no such resource.'
                    : 'There is no resource yet. Make one here, by the API, or let an agent make them.'
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
    <Link to={href(`/resources/${resourceId}`)} className="break-all font-mono text-sm text-accent hover:underline">
      {resourceId}
    </Link>
  );
}

function TypeLink({ type }: Pick<Row, 'type'>) {
  const href = useHref();
  return (
    <Link to={href('/resources', { type })} className="break-all hover:underline">
      {type}
    </Link>
  );
}

/** The first of its values, for whoever looks for one. */
function Fields({ fields }: Pick<Row, 'fields'>) {
  const shown = Object.entries(fields).slice(0, 4);
  if (shown.length === 0) return <span className="text-muted">None</span>;
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
