import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useFilter, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { useMay } from '../session/session.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { CreateTrigger } from './create-trigger.tsx';
import { DEPLOYMENT_NAMES, TRIGGERS } from './documents.ts';

type Row = ResultOf<typeof TRIGGERS>['triggers']['nodes'][number];
type Deployment = ResultOf<typeof DEPLOYMENT_NAMES>['deployments']['nodes'][number];

export function Page() {
  const [filter, setFilter] = useFilter('deployment');
  const deploymentId = /^[0-9a-f-]{36}$/i.test(filter) ? filter : null;
  const reading = useReading(TRIGGERS, { deploymentId, ...usePosition() });
  const { data: names } = useReading(DEPLOYMENT_NAMES, {}, { pause: !useMay('workflows:read') });
  const deployments = names?.deployments.nodes ?? [];
  const mayCreate = useMay('triggers:write');
  const [isCreating, setCreating] = useState(false);
  return (
    <PageFrame
      title="Triggers"
      lead="First messages that are stored beforehand, and start one conversation each from a link."
      actions={
        mayCreate && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" className="size-4" /> New trigger
          </Button>
        )
      }
    >
      <SelectField
        label="Deployment"
        className="sm:max-w-xs"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      >
        <option value="">All deployments</option>
        {deployments.map((one) => (
          <option key={one.deploymentId} value={one.deploymentId}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <Loaded reading={reading}>
        {({ triggers: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Triggers"
              columns={columnsOf(deployments)}
              rows={nodes}
              keyOf={({ triggerId }) => triggerId}
              empty="There is no trigger here yet. One that you make gets a link, which starts a conversation with what it stores."
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      {isCreating && (
        <CreateTrigger
          deployments={deployments.filter(({ publishedVersion }) => publishedVersion !== null)}
          chosen={filter}
          onClose={() => setCreating(false)}
        />
      )}
    </PageFrame>
  );
}

function columnsOf(deployments: readonly Deployment[]): readonly Column<Row>[] {
  const byId = new Map(deployments.map((one) => [one.deploymentId, one]));
  return [
    { title: 'Trigger', cell: ({ triggerId }) => <code className="font-mono text-sm">{triggerId}</code> },
    { title: 'Says', cell: (row) => <Says {...row} /> },
    { title: 'Deployment', cell: ({ deploymentId }) => byId.get(deploymentId)?.name ?? deploymentId },
    { title: 'Status', cell: (row) => <Status {...row} /> },
    { title: 'Expires', cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : 'Never') },
    { title: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Link',
      cell: (row) => (
        <CopyButton
          label="Copy link"
          text={byId.get(row.deploymentId)?.kind === 'agent' ? row.agentUrl : row.chatUrl}
        />
      ),
    },
  ];
}

/** What the user says first, and with which variables. */
function Says({ content, variables, uiSurface }: Pick<Row, 'content' | 'variables' | 'uiSurface'>) {
  const said = content.map((part) => (part.__typename === 'TextPart' ? part.text : 'A file')).join(' · ');
  const facts = [...Object.keys(variables ?? {}), ...(uiSurface ? [`for ${uiSurface}`] : [])].join(', ');
  return (
    <span className="block min-w-0 md:max-w-xs">
      <span className="line-clamp-2 break-words">{said || <span className="text-muted">Nothing any more</span>}</span>
      {facts && <span className="block break-words text-sm text-muted">{facts}</span>}
    </span>
  );
}

function Status({ conversationId, expired }: Pick<Row, 'conversationId' | 'expired'>) {
  const href = useHref();
  const maySee = useMay('conversations:read');
  if (!conversationId) return expired ? <Badge tone="warn">Expired</Badge> : <Badge tone="ok">Unused</Badge>;
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-2 md:justify-start">
      <Badge tone="accent">Used</Badge>
      {maySee && (
        <Link to={href(`/conversations/${conversationId}`)} className="text-accent hover:underline">
          Its conversation
        </Link>
      )}
    </span>
  );
}
