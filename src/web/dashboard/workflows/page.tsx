import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { DraftBadge } from '../deployments/running-badge.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useHref, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { CreateWorkflow } from './create-workflow.tsx';
import { WORKFLOWS } from './documents.ts';

type Row = ResultOf<typeof WORKFLOWS>['workflows']['nodes'][number];

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Workflow', cell: (row) => <WorkflowLink {...row} /> },
  { title: 'Latest version', cell: ({ versions }) => versions.nodes[0]?.number ?? <NeverPublished /> },
  { title: 'Deployments', cell: (row) => <Deployments {...row} /> },
  { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function Page() {
  const query = useServiceQuery(WORKFLOWS, usePosition());
  const canWrite = usePermission('workflows:write');
  const [isCreating, setCreating] = useState(false);
  useOnCreate(() => setCreating(canWrite));
  return (
    <PageFrame
      title="Workflows"
      lead="A workflow defines an assistant: its instructions, its model and its tools."
      actions={
        canWrite && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Icon name="plus" className="size-4" /> New workflow
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ workflows: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Workflows"
              columns={COLUMNS}
              rows={nodes}
              keyOf={({ workflowId }) => workflowId}
              empty="No workflows yet. Create a workflow, then publish it to a deployment."
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      {isCreating && <CreateWorkflow onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}

function WorkflowLink({ workflowId, name }: Pick<Row, 'workflowId' | 'name'>) {
  const href = useHref();
  return (
    <Link to={href(`/workflows/${workflowId}`)} className="font-medium text-accent hover:underline">
      {name}
    </Link>
  );
}

function NeverPublished() {
  return <span className="text-muted">Never published</span>;
}

function Deployments({ deployments: { nodes, totalCount }, draftVersion }: Row) {
  const href = useHref();
  if (totalCount === 0) return <span className="text-muted">–</span>;
  return (
    <span className="flex flex-col items-end gap-1 md:items-start">
      {nodes.map(({ deploymentId, name, publishedVersion, hasUnpublishedChanges }) => (
        <span key={deploymentId} className="flex flex-wrap items-center justify-end gap-2 md:justify-start">
          <Link to={href(`/deployments/${deploymentId}`)} className="hover:underline">
            {name}
          </Link>
          {publishedVersion === null && <Badge>Not published</Badge>}
          {publishedVersion !== null && hasUnpublishedChanges && <DraftBadge draftVersion={draftVersion} />}
        </span>
      ))}
      {totalCount > nodes.length && <span className="text-muted">and {totalCount - nodes.length} more</span>}
    </span>
  );
}
