import { useParams } from 'wouter';
import { Loaded } from '../frame/loaded.tsx';
import { NotFound } from '../frame/not-found.tsx';
import { LeadSkeleton, PageFrame } from '../frame/page-frame.tsx';
import { tabParts } from '../frame/tab-parts.tsx';
import { Tabs, useTab } from '../frame/tabs.tsx';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { DeleteWorkflow } from './delete-workflow.tsx';
import { WORKFLOW } from './documents.ts';
import { DraftContext, useNewDraftForm } from './draft/draft-form.ts';
import type { WorkflowData } from './draft/draft-values.ts';
import { RestoreNotice, useUnsavedCopy } from './draft/restore-notice.tsx';

const TABS = [
  { name: 'draft', title: 'Draft' },
  { name: 'playground', title: 'Playground' },
  { name: 'publish', title: 'Publish' },
  { name: 'versions', title: 'Versions' },
] as const;

const { Part, useScript } = tabParts<(typeof TABS)[number]['name'], { readonly workflow: WorkflowData }>({
  draft: async () => (await import('./draft/draft-tab.tsx')).DraftTab,
  playground: async () => (await import('./playground/playground-tab.tsx')).PlaygroundTab,
  publish: async () => (await import('./publish/publish-tab.tsx')).PublishTab,
  versions: async () => (await import('./versions/versions-tab.tsx')).VersionsTab,
});

export function Page() {
  const { workflowId = '' } = useParams();
  return <Workflow key={workflowId} workflowId={Number(workflowId)} />;
}

function Workflow({ workflowId }: { readonly workflowId: number }) {
  const isNumber = Number.isInteger(workflowId) && workflowId > 0 && workflowId < 2 ** 31;
  const query = useServiceQuery(WORKFLOW, { workflowId: String(workflowId) }, { pause: !isNumber });
  useScript(useTab(TABS));
  if (!isNumber) return <PageMissing />;
  if (query.data?.workflow) return <WorkflowTabs workflow={query.data.workflow} />;
  if (query.data?.workflow === null && !query.error) return <PageMissing />;
  return (
    <PageFrame title="Workflow" lead={<LeadSkeleton />}>
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
  const canWrite = usePermission('workflows:write');
  const latest = workflow.versions.nodes[0]?.number;
  return (
    <DraftContext value={form}>
      <PageFrame
        title={workflow.name}
        lead={`Workflow ${workflow.workflowId} · ${latest ? `latest version ${latest}` : 'never published'}`}
        actions={canWrite && <DeleteWorkflow workflow={workflow} onDelete={copy.discard} />}
      >
        <Tabs label="Workflow" tabs={TABS} />
        <RestoreNotice copy={copy} />
        <Part name={tab} props={{ workflow }} />
        <UnsavedChangesGuard unsaved={form.unsaved} onLeave={copy.discard} />
      </PageFrame>
    </DraftContext>
  );
}
