import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { retried } from '../../ui/load.ts';
import { Time } from '../../ui/time.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useServiceMutation } from '../requests.ts';
import { UNPUBLISH } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';
import { RunningBadge } from './running-badge.tsx';

// Most visits do not change the version.
const RollBack = lazy(async () => ({ default: (await retried(() => import('./roll-back.tsx'))).RollBack }));

interface Props {
  readonly deployment: DeploymentData;
  readonly canWrite: boolean;
}

/** The version that the deployment runs, with buttons to change or unpublish it. */
export function PublishedVersion({ deployment, canWrite }: Props) {
  const [action, setAction] = useState<'roll-back' | 'unpublish'>();
  const { workflow, publishedVersion, updatedAt } = deployment;
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
