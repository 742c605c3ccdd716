import { lazy, Suspense, useState } from 'react';
import { Link, useParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { enhancement, retried } from '../../ui/load.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { Budgets } from '../budgets/budgets.tsx';
import { VersionRatings } from '../feedback/version-ratings.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { isUuid } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { NotFound } from '../frame/not-found.tsx';
import { LeadSkeleton, PageFrame, ReadOnlyNotice, Section } from '../frame/page-frame.tsx';
import { useEnvironment, useHref } from '../location.ts';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { DeleteDeployment } from './delete-deployment.tsx';
import { DEPLOYMENT, UNPUBLISH } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';
import { RunningBadge } from './running-badge.tsx';
import { SettingsSection } from './settings.tsx';
import { UsageGuide } from './usage-guide.tsx';

// It is below the fold.
const appearance = enhancement(() => import('./appearance.tsx'));

// Most visits do not change the version.
const RollBack = lazy(async () => ({ default: (await retried(() => import('./roll-back.tsx'))).RollBack }));

export function Page() {
  const { deploymentId = '' } = useParams();
  return <Deployment key={deploymentId} deploymentId={deploymentId} />;
}

function Deployment({ deploymentId }: { readonly deploymentId: string }) {
  const isId = isUuid(deploymentId);
  const query = useServiceQuery(DEPLOYMENT, { deploymentId }, { pause: !isId });
  const canWrite = usePermission('workflows:write');
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
              {!canWrite && <ReadOnlyNotice subject="this deployment" />}
              <PublishedVersion deployment={deployment} canWrite={canWrite} />
              <VersionRatings deploymentId={deploymentId} />
              <UsageGuide deployment={deployment} />
              <DeploymentBudgets deploymentId={deploymentId} />
              <Appearance deployment={deployment} canWrite={canWrite} />
              <SettingsSection deployment={deployment} canWrite={canWrite} />
            </>
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function Appearance(props: VersionProps) {
  const module = appearance.useModule();
  if (module) return <module.AppearanceSection {...props} />;
  return (
    <Section title="Appearance">
      <Skeleton rows={8} />
    </Section>
  );
}

function Lead({ kind, workflow }: DeploymentData) {
  const href = useHref();
  return (
    <>
      {kind === 'CHAT' ? 'Chat' : 'Agent'} deployment of{' '}
      <Link to={href(`/workflows/${workflow.workflowId}`)} className="text-accent underline">
        {workflow.name}
      </Link>
    </>
  );
}

/** Both environments run the deployment, and each has budgets of its own. */
function DeploymentBudgets({ deploymentId }: Pick<DeploymentData, 'deploymentId'>) {
  const environment = useEnvironment();
  return (
    <Budgets
      title="Budgets"
      place={{ deploymentId }}
      name="this deployment"
      empty={`The deployment has no budget in the ${environment} environment.`}
    />
  );
}

interface VersionProps {
  readonly deployment: DeploymentData;
  readonly canWrite: boolean;
}

/** The version that the deployment runs, with buttons to change or unpublish it. */
function PublishedVersion({ deployment, canWrite }: VersionProps) {
  const [action, setAction] = useState<'roll-back' | 'unpublish'>();
  const href = useHref();
  const { workflow, publishedVersion, hasUnpublishedChanges, updatedAt } = deployment;
  const close = () => setAction(undefined);
  return (
    <Section
      title="Version"
      actions={
        canWrite && (
          <>
            {workflow.versions.nodes.length > 0 && (
              <Button small onClick={() => setAction('roll-back')}>
                Change version
              </Button>
            )}
            {publishedVersion !== null && (
              <Button small look="danger" onClick={() => setAction('unpublish')}>
                Unpublish
              </Button>
            )}
          </>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <RunningBadge {...deployment} draftVersion={workflow.draftVersion} />
        <span className="text-muted">
          Changed <Time at={updatedAt} />
        </span>
        {hasUnpublishedChanges && (
          <Link
            to={href(`/workflows/${workflow.workflowId}`, { tab: 'publish' })}
            className="text-accent hover:underline"
          >
            {publishedVersion === null ? 'Publish the draft' : 'Review and publish changes'}
          </Link>
        )}
      </div>
      {publishedVersion === null && <p className="mt-3 text-muted">Requests get 404 until you publish a version.</p>}
      <ErrorBoundary subject={action ?? ''}>
        <Suspense fallback={null}>
          {action === 'roll-back' && (
            <RollBack workflow={{ ...workflow, deployments: { nodes: [deployment] } }} onClose={close} />
          )}
        </Suspense>
      </ErrorBoundary>
      {action === 'unpublish' && <Unpublish deployment={deployment} onClose={close} />}
    </Section>
  );
}

function Unpublish({ deployment, onClose }: { readonly deployment: DeploymentData; readonly onClose: () => void }) {
  const { mutate, busy, error } = useServiceMutation(UNPUBLISH);
  const confirm = async () => {
    if (await mutate({ deploymentId: deployment.deploymentId })) onClose();
  };
  return (
    <ConfirmDialog
      title={`Unpublish ${deployment.name}?`}
      verb="Unpublish"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>
        Requests, the hosted page and the widget get 404 until you publish a version again. Triggers and conversations
        are kept.
      </p>
    </ConfirmDialog>
  );
}
