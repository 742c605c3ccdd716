import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { DeploymentLink, useDeployments } from '../deployment-names/deployment-names.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useFilter, useHref, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { CreateTrigger } from './create-trigger.tsx';
import { DeleteTrigger } from './delete-trigger.tsx';
import { TRIGGERS } from './documents.ts';

type Row = ResultOf<typeof TRIGGERS>['triggers']['nodes'][number];

export function Page() {
  const [filter, setFilter] = useFilter('deployment');
  const deploymentId = /^[0-9a-f-]{36}$/i.test(filter) ? filter : null;
  const query = useServiceQuery(TRIGGERS, { deploymentId, ...usePosition() });
  const deployments = useDeployments();
  const canCreate = usePermission('triggers:write');
  const [isCreating, setCreating] = useState(false);
  useOnCreate(() => setCreating(canCreate));
  return (
    <PageFrame
      title="Triggers"
      lead="A trigger stores a first message. Its link starts one conversation."
      actions={
        canCreate && (
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
      <Loaded query={query}>
        {({ triggers: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Triggers"
              columns={columnsOf(deployments, canCreate)}
              rows={nodes}
              keyOf={({ triggerId }) => triggerId}
              empty="No triggers yet. Create a trigger to get a link that starts a conversation."
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      {isCreating && (
        <CreateTrigger
          deployments={deployments.filter(({ publishedVersion }) => publishedVersion !== null)}
          deploymentId={filter}
          onClose={() => setCreating(false)}
        />
      )}
    </PageFrame>
  );
}

function columnsOf(deployments: ReturnType<typeof useDeployments>, canWrite: boolean): readonly Column<Row>[] {
  const byId = new Map(deployments.map((one) => [one.deploymentId, one]));
  return [
    { title: 'Trigger', cell: ({ triggerId }) => <code className="font-mono text-sm">{triggerId}</code> },
    { title: 'First message', cell: (row) => <FirstMessage {...row} /> },
    { title: 'Deployment', cell: ({ deploymentId }) => <DeploymentLink {...{ deployments, deploymentId }} /> },
    { title: 'Status', cell: (row) => <Status {...row} /> },
    { title: 'Expires', cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : 'Never') },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Link',
      cell: (row) => (
        <CopyButton
          label="Copy link"
          text={byId.get(row.deploymentId)?.kind === 'AGENT' ? row.agentUrl : row.chatUrl}
        />
      ),
    },
    ...(canWrite ? [{ title: 'Delete', cell: (row: Row) => <DeleteTrigger {...row} /> }] : []),
  ];
}

/** The first message, its variables and its surface. */
function FirstMessage({ content, variables, uiSurface }: Pick<Row, 'content' | 'variables' | 'uiSurface'>) {
  const text = content.map((part) => (part.__typename === 'TextPart' ? part.text : 'File')).join(' · ');
  const details = [...(variables ?? []).map(({ name }) => name), ...(uiSurface ? [`for ${uiSurface}`] : [])].join(', ');
  return (
    <span className="block min-w-0 md:max-w-xs">
      <span className="line-clamp-2 break-words">{text || <span className="text-muted">Deleted</span>}</span>
      {details && <span className="block break-words text-sm text-muted">{details}</span>}
    </span>
  );
}

function Status({ conversationId, expired }: Pick<Row, 'conversationId' | 'expired'>) {
  const href = useHref();
  const canRead = usePermission('conversations:read');
  if (!conversationId) return expired ? <Badge tone="warn">Expired</Badge> : <Badge tone="ok">Unused</Badge>;
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-2 md:justify-start">
      <Badge tone="accent">Used</Badge>
      {canRead && (
        <Link to={href(`/conversations/${conversationId}`)} className="text-accent hover:underline">
          Conversation
        </Link>
      )}
    </span>
  );
}
