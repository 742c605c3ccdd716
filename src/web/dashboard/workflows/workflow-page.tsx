import { useParams } from 'wouter';
import { Tabs, useTab } from '../build/tabs.tsx';
import { LeavingGuard } from '../leaving.tsx';
import { useReading } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import type { WorkflowData } from './data.ts';
import { WORKFLOW } from './documents.ts';
import { Editing } from './draft/context.ts';
import { DraftTab } from './draft/draft-tab.tsx';
import { useDraftEditing } from './draft/editing.ts';
import { PublishTab } from './publish/publish-tab.tsx';
import { VersionsTab } from './versions/versions-tab.tsx';

const TABS = [
  { name: 'draft', title: 'Draft' },
  { name: 'publish', title: 'Publish' },
  { name: 'versions', title: 'Versions' },
] as const;

export function Page() {
  const { workflowId = '' } = useParams();
  return <Workflow key={workflowId} workflowId={Number(workflowId)} />;
}

function Workflow({ workflowId }: { readonly workflowId: number }) {
  const isNumber = Number.isInteger(workflowId) && workflowId > 0 && workflowId < 2 ** 31;
  const reading = useReading(WORKFLOW, { workflowId }, { pause: !isNumber });
  if (!isNumber) return <Missing />;
  if (reading.data?.workflow) return <WorkflowTabs workflow={reading.data.workflow} />;
  if (reading.fault?.code === 'not_found') return <Missing />;
  return (
    <PageFrame title="Workflow">
      <Loaded reading={reading}>{() => null}</Loaded>
    </PageFrame>
  );
}

function Missing() {
  return (
    <PageFrame title="There is no such workflow">
      <p className="text-muted">Its address may be wrong, or it belongs to another workspace.</p>
    </PageFrame>
  );
}

/** What is written stays while one goes from tab to tab. */
function WorkflowTabs({ workflow }: { readonly workflow: WorkflowData }) {
  const editing = useDraftEditing(workflow);
  const tab = useTab(TABS);
  const latest = workflow.versions.nodes[0]?.number;
  return (
    <Editing value={editing}>
      <PageFrame
        title={workflow.name}
        lead={`Workflow ${workflow.workflowId} · ${latest ? `latest version ${latest}` : 'never published'}`}
      >
        <Tabs label="Workflow" tabs={TABS} />
        {tab === 'draft' && <DraftTab workflow={workflow} />}
        {tab === 'publish' && <PublishTab workflow={workflow} />}
        {tab === 'versions' && <VersionsTab workflow={workflow} />}
        <LeavingGuard unsaved={editing.unsaved} />
      </PageFrame>
    </Editing>
  );
}
