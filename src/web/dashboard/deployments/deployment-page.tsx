import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { MayNot } from '../build/may-not.tsx';
import { useHref } from '../location.ts';
import { useChange, useReading } from '../requests.ts';
import { useMay } from '../session/session.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import type { DeploymentData } from './data.ts';
import { DEPLOYMENT, UNPUBLISH } from './documents.ts';
import { RollBack } from './roll-back.tsx';
import { RunningBadge } from './running-badge.tsx';
import { Settings } from './settings.tsx';
import { UseIt } from './use-it.tsx';

export function Page() {
  const { deploymentId = '' } = useParams();
  return <Deployment key={deploymentId} deploymentId={deploymentId} />;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function Deployment({ deploymentId }: { readonly deploymentId: string }) {
  const isId = UUID.test(deploymentId);
  const reading = useReading(DEPLOYMENT, { deploymentId }, { pause: !isId });
  const mayWrite = useMay('workflows:write');
  const deployment = reading.data?.deployment;
  if (!isId || reading.fault?.code === 'not_found') {
    return (
      <PageFrame title="There is no such deployment">
        <p className="text-muted">Its address may be wrong, or it belongs to another workspace.</p>
      </PageFrame>
    );
  }
  return (
    <PageFrame title={deployment?.name ?? 'Deployment'} lead={deployment && <Lead {...deployment} />}>
      <Loaded reading={reading}>
        {() =>
          deployment && (
            <>
              {!mayWrite && <MayNot what="this deployment" />}
              <Running deployment={deployment} mayWrite={mayWrite} />
              <UseIt deployment={deployment} />
              <Settings deployment={deployment} mayWrite={mayWrite} />
            </>
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function Lead({ kind, workflow }: DeploymentData) {
  const href = useHref();
  return (
    <>
      {kind === 'chat' ? 'Chat' : 'Agent'} deployment of{' '}
      <Link to={href(`/workflows/${workflow.workflowId}`)} className="text-accent underline">
        {workflow.name}
      </Link>
    </>
  );
}

interface RunningProps {
  readonly deployment: DeploymentData;
  readonly mayWrite: boolean;
}

/** The version that it runs, and the ways to another or none. */
function Running({ deployment, mayWrite }: RunningProps) {
  const [doing, setDoing] = useState<'roll-back' | 'unpublish'>();
  const href = useHref();
  const { workflow, publishedVersion, hasUnpublishedChanges, updatedAt } = deployment;
  const close = () => setDoing(undefined);
  return (
    <Section
      title="What it runs"
      actions={
        mayWrite && (
          <>
            {workflow.versions.nodes.length > 0 && (
              <Button small onClick={() => setDoing('roll-back')}>
                Run another version
              </Button>
            )}
            {publishedVersion !== null && (
              <Button small look="danger" onClick={() => setDoing('unpublish')}>
                Unpublish
              </Button>
            )}
          </>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <RunningBadge {...deployment} />
        <span className="text-muted">
          Changed <Time at={updatedAt} />
        </span>
        {hasUnpublishedChanges && (
          <Link
            to={href(`/workflows/${workflow.workflowId}`, { tab: 'publish' })}
            className="text-accent hover:underline"
          >
            {publishedVersion === null ? 'Publish the draft' : 'See and publish what has changed'}
          </Link>
        )}
      </div>
      {publishedVersion === null && (
        <p className="mt-3 text-muted">It answers 404 until a version is published to it.</p>
      )}
      {doing === 'roll-back' && (
        <RollBack workflow={{ ...workflow, deployments: { nodes: [deployment] } }} onClose={close} />
      )}
      {doing === 'unpublish' && <Unpublish deployment={deployment} onClose={close} />}
    </Section>
  );
}

function Unpublish({ deployment, onClose }: { readonly deployment: DeploymentData; readonly onClose: () => void }) {
  const { make, busy, fault } = useChange(UNPUBLISH);
  const confirm = async () => {
    if (await make({ deploymentId: deployment.deploymentId })) onClose();
  };
  return (
    <Dialog title={`Unpublish ${deployment.name}?`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          From the next request on it answers 404, its hosted page and widget too, until a version is published to it
          again. Its triggers and conversations stay.
        </p>
        {fault && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={busy} onClick={confirm}>
            Unpublish
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
