import { useParams } from 'wouter';
import { useServiceQuery } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { Tabs, useTab } from '../shell/tabs.tsx';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { WORKFLOW } from './documents.ts';
import { DraftContext, useNewDraftForm } from './draft/draft-form.ts';
import { DraftTab } from './draft/draft-tab.tsx';
import type { WorkflowData } from './draft/draft-values.ts';
import { RestoreNotice, useUnsavedCopy } from './draft/restore-notice.tsx';
import { PlaygroundTab } from './playground/playground-tab.tsx';
import { PublishTab } from './publish/publish-tab.tsx';
import { VersionsTab } from './versions/versions-tab.tsx';

const TABS = [
  { name: 'draft', title: 'Draft' },
  { name: 'playground', title: 'Playground' },
  { name: 'publish', title: 'Publish' },
  { name: 'versions', title: 'Versions' },
] as const;

export function Page() {
  const { workflowId = '' } = useParams();
  return <Workflow key={workflowId} workflowId={Number(workflowId)} />;
}

function Workflow({ workflowId }: { readonly workflowId: number }) {
  const isNumber = Number.isInteger(workflowId) && workflowId > 0 && workflowId < 2 ** 31;
  const query = useServiceQuery(WORKFLOW, { workflowId }, { pause: !isNumber });
  if (!isNumber) return <PageMissing />;
  if (query.data?.workflow) return <WorkflowTabs workflow={query.data.workflow} />;
  if (query.data?.workflow === null && !query.error) return <PageMissing />;
  return (
    <PageFrame title="Workflow">
      <Loaded query={query}>{() => null}</Loaded>
    </PageFrame>
  );
}

function PageMissing() {
  return (
    <NotFound title="Workflow not found" to="/workflows" list="All workflows">
      The address may be wrong, or the workflow belongs to another workspace.
    </NotFound>
  );
}

/** The form of the draft belongs to the page, so switching tabs keeps unsaved changes. */
function WorkflowTabs({ workflow }: { readonly workflow: WorkflowData }) {
  const form = useNewDraftForm(workflow);
  const copy = useUnsavedCopy(workflow.workflowId, form);
  const tab = useTab(TABS);
  const latest = workflow.versions.nodes[0]?.number;
  return (
    <DraftContext value={form}>
      <PageFrame
        title={workflow.name}
        lead={`Workflow ${workflow.workflowId} · ${latest ? `latest version ${latest}` : 'never published'}`}
      >
        <Tabs label="Workflow" tabs={TABS} />
        <RestoreNotice copy={copy} />
        {tab === 'draft' && <DraftTab workflow={workflow} />}
        {tab === 'playground' && <PlaygroundTab workflow={workflow} />}
        {tab === 'publish' && <PublishTab workflow={workflow} />}
        {tab === 'versions' && <VersionsTab workflow={workflow} />}
        <UnsavedChangesGuard unsaved={form.unsaved} onLeave={copy.discard} />
      </PageFrame>
    </DraftContext>
  );
}
