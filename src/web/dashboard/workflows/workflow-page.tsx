import { type ComponentType, lazy, Suspense } from 'react';
import { useParams } from 'wouter';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { retried } from '../../ui/load.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useServiceQuery } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { LeadSkeleton, PageFrame } from '../shell/page-frame.tsx';
import { Tabs, useTab } from '../shell/tabs.tsx';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { WORKFLOW } from './documents.ts';
import { DraftContext, useNewDraftForm } from './draft/draft-form.ts';
import { DraftTab } from './draft/draft-tab.tsx';
import type { WorkflowData } from './draft/draft-values.ts';
import { RestoreNotice, useUnsavedCopy } from './draft/restore-notice.tsx';

const TABS = [
  { name: 'draft', title: 'Draft' },
  { name: 'playground', title: 'Playground' },
  { name: 'publish', title: 'Publish' },
  { name: 'versions', title: 'Versions' },
] as const;

// The draft, with which the page opens, does not load the scripts of the other tabs.
const CONTENT = {
  draft: DraftTab,
  playground: lazy(async () => ({
    default: (await retried(() => import('./playground/playground-tab.tsx'))).PlaygroundTab,
  })),
  publish: lazy(async () => ({ default: (await retried(() => import('./publish/publish-tab.tsx'))).PublishTab })),
  versions: lazy(async () => ({ default: (await retried(() => import('./versions/versions-tab.tsx'))).VersionsTab })),
} as const satisfies Record<(typeof TABS)[number]['name'], ComponentType<{ readonly workflow: WorkflowData }>>;

export function Page() {
  const { workflowId = '' } = useParams();
  return <Workflow key={workflowId} workflowId={Number(workflowId)} />;
}

function Workflow({ workflowId }: { readonly workflowId: number }) {
  const isNumber = Number.isInteger(workflowId) && workflowId > 0 && workflowId < 2 ** 31;
  const query = useServiceQuery(WORKFLOW, { workflowId }, { pause: !isNumber });
  if (!isNumber) return <NotFound />;
  if (query.data?.workflow) return <WorkflowTabs workflow={query.data.workflow} />;
  if (query.data?.workflow === null && !query.error) return <NotFound />;
  return (
    <PageFrame title="Workflow" lead={<LeadSkeleton />}>
      <Loaded query={query}>{() => null}</Loaded>
    </PageFrame>
  );
}

function NotFound() {
  return (
    <PageFrame title="Workflow not found">
      <p className="text-muted">The address may be wrong, or the workflow belongs to another workspace.</p>
    </PageFrame>
  );
}

/** The form of the draft belongs to the page, so switching tabs keeps unsaved changes. */
function WorkflowTabs({ workflow }: { readonly workflow: WorkflowData }) {
  const form = useNewDraftForm(workflow);
  const copy = useUnsavedCopy(workflow.workflowId, form);
  const tab = useTab(TABS);
  const Content = CONTENT[tab];
  const latest = workflow.versions.nodes[0]?.number;
  return (
    <DraftContext value={form}>
      <PageFrame
        title={workflow.name}
        lead={`Workflow ${workflow.workflowId} · ${latest ? `latest version ${latest}` : 'never published'}`}
      >
        <Tabs label="Workflow" tabs={TABS} />
        <RestoreNotice copy={copy} />
        <ErrorBoundary subject={tab}>
          <Suspense fallback={<Skeleton rows={8} />}>
            <Content workflow={workflow} />
          </Suspense>
        </ErrorBoundary>
        <UnsavedChangesGuard unsaved={form.unsaved} onLeave={copy.discard} />
      </PageFrame>
    </DraftContext>
  );
}
