import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { isUuid } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { NotFound } from '../frame/not-found.tsx';
import { LeadSkeleton, PageFrame, ReadOnlyNotice } from '../frame/page-frame.tsx';
import { tabParts } from '../frame/tab-parts.tsx';
import { Tabs, useTab } from '../frame/tabs.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { DeleteDeployment } from './delete-deployment.tsx';
import { DEPLOYMENT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';
import { RunningBadge } from './running-badge.tsx';

const TABS = [
  { name: 'share', title: 'Share' },
  { name: 'appearance', title: 'Appearance' },
  { name: 'access', title: 'Access and limits' },
  { name: 'feedback', title: 'Feedback' },
  { name: 'versions', title: 'Versions' },
] as const;

interface Props {
  readonly deployment: DeploymentData;
  readonly canWrite: boolean;
}

const { Part, useScript } = tabParts<(typeof TABS)[number]['name'], Props>({
  share: async () => (await import('./usage-guide.tsx')).UsageGuide,
  appearance: async () => (await import('./appearance.tsx')).AppearanceSection,
  access: async () => (await import('./access-tab.tsx')).AccessTab,
  feedback: async () => (await import('../feedback/version-ratings.tsx')).VersionRatings,
  versions: async () => (await import('./versions-tab.tsx')).VersionsTab,
});

export function Page() {
  const { deploymentId = '' } = useParams();
  return <Deployment key={deploymentId} deploymentId={deploymentId} />;
}

function Deployment({ deploymentId }: { readonly deploymentId: string }) {
  const isId = isUuid(deploymentId);
  const query = useServiceQuery(DEPLOYMENT, { deploymentId }, { pause: !isId });
  const canWrite = usePermission('workflows:write');
  useScript(useTab(TABS));
  const deployment = query.data?.deployment;
  if (!isId || (deployment === null && !query.error)) {
    return (
      <NotFound title="Deployment not found" to="/deployments" list="All deployments">
        The address may be wrong, or the deployment belongs to another workspace.
      </NotFound>
    );
  }
  return (
    <PageFrame
      title={deployment?.name ?? 'Deployment'}
      lead={deployment ? <Lead {...deployment} /> : <LeadSkeleton />}
      actions={canWrite && deployment && <DeleteDeployment {...deployment} />}
    >
      <Loaded query={query}>
        {() =>
          deployment && (
            <>
              <Tabs label="Parts of the deployment" tabs={TABS} />
              {!canWrite && <ReadOnlyNotice subject="this deployment" />}
              <Content deployment={deployment} canWrite={canWrite} />
            </>
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function Lead(deployment: DeploymentData) {
  const href = useHref();
  const { kind, workflow } = deployment;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 wrap-anywhere">
        {kind === 'CHAT' ? 'Chat' : 'Agent'} deployment of{' '}
        <Link to={href(`/workflows/${workflow.workflowId}`)} className="text-accent underline">
          {workflow.name}
        </Link>
      </span>
      <RunningBadge {...deployment} draftVersion={workflow.draftVersion} />
      <PublishLink {...deployment} />
    </span>
  );
}

/** Leads to the page that publishes what the deployment does not run yet. */
function PublishLink({ workflow, publishedVersion, hasUnpublishedChanges }: DeploymentData) {
  const href = useHref();
  if (!hasUnpublishedChanges) return null;
  return (
    <Link to={href(`/workflows/${workflow.workflowId}`, { tab: 'publish' })} className="text-accent hover:underline">
      {publishedVersion === null ? 'Publish the draft' : 'Review and publish changes'}
    </Link>
  );
}

/** The open tab. Those that were open stay, hidden, so their forms keep unsaved changes. */
function Content(props: Props) {
  const tab = useTab(TABS);
  const [opened, setOpened] = useState([tab]);
  if (!opened.includes(tab)) setOpened([...opened, tab]);
  return opened.map((name) => (
    <div key={name} hidden={name !== tab} className="flex flex-col gap-6">
      <Part name={name} props={props} />
    </div>
  ));
}
