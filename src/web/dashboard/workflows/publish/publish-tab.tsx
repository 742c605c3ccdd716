import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { MayNot } from '../../build/may-not.tsx';
import { CreateDeployment } from '../../deployments/create-deployment.tsx';
import { RunningBadge } from '../../deployments/running-badge.tsx';
import { useHref } from '../../location.ts';
import { useChange } from '../../requests.ts';
import { useMay } from '../../session/session.ts';
import { Section } from '../../shell/page-frame.tsx';
import type { DeploymentOfWorkflow, WorkflowData } from '../data.ts';
import { PUBLISH } from '../documents.ts';
import { useEditing } from '../draft/context.ts';
import { VersionChanges } from '../version-changes.tsx';

/** Gives the stored draft to deployments, once one has seen what that changes for each. */
export function PublishTab({ workflow }: { readonly workflow: WorkflowData }) {
  const mayWrite = useMay('workflows:write');
  const deployments = workflow.deployments.nodes;
  return (
    <>
      {mayWrite ? <Unsaved /> : <MayNot what="what is published" />}
      {deployments.length === 0 ? (
        <NoDeployments workflowId={workflow.workflowId} />
      ) : (
        <>
          <Choose workflow={workflow} mayWrite={mayWrite} />
          {versionsOf(deployments).map(({ version, names }) => (
            <Section key={version} title={`What changes for ${names.join(', ')}`}>
              <VersionChanges workflowId={workflow.workflowId} from={version} to={null} />
            </Section>
          ))}
        </>
      )}
    </>
  );
}

function Unsaved() {
  const { unsaved, busy, save } = useEditing();
  if (!unsaved) return null;
  return (
    <Notice
      tone="warn"
      action={
        <Button small busy={busy} onClick={save}>
          Save draft
        </Button>
      }
    >
      Your draft has changes that are not saved. They are not published, and not shown below.
    </Notice>
  );
}

function NoDeployments({ workflowId }: { readonly workflowId: number }) {
  const [isCreating, setCreating] = useState(false);
  const mayWrite = useMay('workflows:write');
  return (
    <Section title="No deployment yet">
      <p className="text-muted">A deployment is what clients address. Make one to publish this draft to it.</p>
      {mayWrite && (
        <Button look="primary" className="mt-4" onClick={() => setCreating(true)}>
          New deployment
        </Button>
      )}
      {isCreating && <CreateDeployment workflowId={workflowId} onClose={() => setCreating(false)} />}
    </Section>
  );
}

/** Deployments by the version that they run. */
function versionsOf(deployments: readonly DeploymentOfWorkflow[]) {
  const byVersion = new Map<number, string[]>();
  for (const { publishedVersion, name } of deployments) {
    if (publishedVersion !== null) byVersion.set(publishedVersion, [...(byVersion.get(publishedVersion) ?? []), name]);
  }
  return [...byVersion]
    .map(([version, names]) => ({ version, names }))
    .sort((one, other) => other.version - one.version);
}

function Choose({ workflow, mayWrite }: { readonly workflow: WorkflowData; readonly mayWrite: boolean }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [done, setDone] = useState<string>();
  const { revision } = useEditing();
  const { make, busy, fault } = useChange(PUBLISH);
  const publish = async () => {
    setDone(undefined);
    const data = await make({ workflowId: workflow.workflowId, deploymentIds: [...chosen], ifRevision: revision });
    if (!data) return;
    const { version, isNew, deployments } = data.publishWorkflow;
    const names = deployments.map(({ name }) => name).join(', ');
    setDone(
      isNew
        ? `Version ${version.number} is published, and ${names} will answer by it from the next turn on.`
        : `The draft is the same as version ${version.number}, which ${names} will answer by from the next turn on.`,
    );
    setChosen([]);
  };
  return (
    <Section title="Publish the draft to">
      <ul className="flex flex-col divide-y divide-line">
        {workflow.deployments.nodes.map((deployment) => (
          <Choice
            key={deployment.deploymentId}
            deployment={deployment}
            disabled={!mayWrite}
            isChosen={chosen.includes(deployment.deploymentId)}
            onChoose={(isChosen) => {
              const others = chosen.filter((id) => id !== deployment.deploymentId);
              setChosen(isChosen ? [...others, deployment.deploymentId] : others);
            }}
          />
        ))}
      </ul>
      <div className="mt-4 flex flex-col items-start gap-4">
        {done && <Notice tone="ok">{done}</Notice>}
        {fault && (
          <Notice tone="danger">
            {fault.code === 'precondition_failed'
              ? 'Not published: somebody else has changed the draft since you opened it. Look at what changes, and publish again.'
              : fault.message}
          </Notice>
        )}
        {mayWrite && (
          <Button look="primary" busy={busy} disabled={chosen.length === 0} onClick={publish}>
            Publish {chosen.length > 1 ? `to ${chosen.length} deployments` : ''}
          </Button>
        )}
      </div>
    </Section>
  );
}

interface ChoiceProps {
  readonly deployment: DeploymentOfWorkflow;
  readonly disabled: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function Choice({ deployment, disabled, isChosen, onChoose }: ChoiceProps) {
  const href = useHref();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <label className="flex min-w-0 items-center gap-2.5">
        <input
          type="checkbox"
          checked={isChosen}
          disabled={disabled}
          onChange={(event) => onChoose(event.target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        <span className="min-w-0 break-words">{deployment.name}</span>
      </label>
      <span className="flex flex-wrap items-center gap-2">
        <RunningBadge {...deployment} />
        <Link to={href(`/deployments/${deployment.deploymentId}`)} className="text-accent hover:underline">
          Settings<span className="sr-only"> of {deployment.name}</span>
        </Link>
      </span>
    </li>
  );
}
