import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useFilter, useHref, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { CreateDeployment } from './create-deployment.tsx';
import { DEPLOYMENTS, WORKFLOW_NAMES } from './documents.ts';
import { RunningBadge } from './running-badge.tsx';

type Row = ResultOf<typeof DEPLOYMENTS>['deployments']['nodes'][number];

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Deployment', cell: (row) => <DeploymentLink {...row} /> },
  { title: 'Workflow', cell: ({ workflow }) => <WorkflowLink {...workflow} /> },
  { title: 'Type', cell: ({ kind }) => (kind === 'CHAT' ? 'Chat' : 'Agent') },
  { title: 'Version', cell: (row) => <RunningBadge {...row} draftVersion={row.workflow.draftVersion} /> },
  { title: 'Access', cell: (row) => <Access {...row} /> },
];

export function Page() {
  const [workflow, setWorkflow] = useFilter('workflow');
  const workflowId = /^\d{1,9}$/.test(workflow) ? workflow : null;
  const query = useServiceQuery(DEPLOYMENTS, { workflowId, ...usePosition() });
  const { data: names } = useServiceQuery(WORKFLOW_NAMES, {});
  const canWrite = usePermission('workflows:write');
  const [isCreating, setCreating] = useState(false);
  useOnCreate(() => setCreating(canWrite));
  return (
    <PageFrame
      title="Deployments"
      lead="Clients connect to a deployment. Its address stays the same when you publish a new version."
      actions={
        canWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" className="size-4" /> New deployment
          </Button>
        )
      }
    >
      <SelectField
        label="Workflow"
        className="sm:max-w-xs"
        value={workflow}
        onChange={(event) => setWorkflow(event.target.value)}
      >
        <option value="">All workflows</option>
        {names?.workflows.nodes.map((one) => (
          <option key={one.workflowId} value={one.workflowId}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <Loaded query={query}>
        {({ deployments: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Deployments"
              columns={COLUMNS}
              rows={nodes}
              keyOf={({ deploymentId }) => deploymentId}
              empty="No deployments yet. Create a deployment, then publish a workflow to it."
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      {isCreating && <CreateDeployment workflowId={workflowId ?? undefined} onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}

function DeploymentLink({ deploymentId, name }: Pick<Row, 'deploymentId' | 'name'>) {
  const href = useHref();
  return (
    <Link to={href(`/deployments/${deploymentId}`)} className="font-medium text-accent hover:underline">
      {name}
    </Link>
  );
}

function WorkflowLink({ workflowId, name }: Row['workflow']) {
  const href = useHref();
  return (
    <Link to={href(`/workflows/${workflowId}`)} className="hover:underline">
      {name}
    </Link>
  );
}

function Access({ authRequired, hostedPage }: Pick<Row, 'authRequired' | 'hostedPage'>) {
  return (
    <span className="inline-flex flex-wrap justify-end gap-2 md:justify-start">
      <Badge>{authRequired ? 'API key' : 'Anyone'}</Badge>
      {hostedPage && <Badge tone="accent">Hosted page</Badge>}
    </span>
  );
}
