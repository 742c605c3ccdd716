import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { RunningBadge } from '../../deployments/running-badge.tsx';
import { ReadOnlyNotice, Section } from '../../frame/page-frame.tsx';
import { useHref } from '../../location.ts';
import { useServiceMutation } from '../../requests.ts';
import { usePermission } from '../../session/session.ts';
import { VersionChanges } from '../../version-changes/version-changes.tsx';
import { PUBLISH } from '../documents.ts';
import { useDraftForm } from '../draft/draft-form.ts';
import type { WorkflowData } from '../draft/draft-values.ts';
import { FirstDeployment } from './first-deployment.tsx';

type Deployment = WorkflowData['deployments']['nodes'][number];

/** Publishes the stored draft to deployments and shows the differences for each. */
export function PublishTab({ workflow }: { readonly workflow: WorkflowData }) {
  const canWrite = usePermission('workflows:write');
  const deployments = workflow.deployments.nodes;
  return (
    <>
      {canWrite ? <Unsaved /> : <ReadOnlyNotice subject="published versions" />}
      {deployments.length === 0 ? (
        <NoDeployments workflow={workflow} />
      ) : (
        <>
          <PublishForm workflow={workflow} canWrite={canWrite} />
          {versionsOf(deployments).map(({ version, names }) => (
            <Section key={version} title={`Changes for ${names.join(', ')}`}>
              <VersionChanges workflowId={workflow.workflowId} from={version} to={null} />
            </Section>
          ))}
        </>
      )}
    </>
  );
}

function Unsaved() {
  const { unsaved, busy, save } = useDraftForm();
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
      Your draft has unsaved changes. They are not published and not shown below.
    </Notice>
  );
}

function NoDeployments({ workflow }: { readonly workflow: WorkflowData }) {
  const { version: revision } = useDraftForm();
  const [isCreating, setCreating] = useState(false);
  const canWrite = usePermission('workflows:write');
  return (
    <Section title="No deployments yet">
      <p className="text-muted">Clients connect to a deployment. Create one to publish this draft.</p>
      {canWrite && (
        <Button look="primary" className="mt-4" onClick={() => setCreating(true)}>
          New deployment
        </Button>
      )}
      {isCreating && (
        <FirstDeployment workflow={workflow} revision={Number(revision)} onClose={() => setCreating(false)} />
      )}
    </Section>
  );
}

/** The names of the deployments by their published version, newest first. */
function versionsOf(deployments: readonly Deployment[]) {
  const byVersion = new Map<number, string[]>();
  for (const { publishedVersion, name } of deployments) {
    if (publishedVersion !== null) byVersion.set(publishedVersion, [...(byVersion.get(publishedVersion) ?? []), name]);
  }
  return [...byVersion]
    .map(([version, names]) => ({ version, names }))
    .sort((left, right) => right.version - left.version);
}

function PublishForm({ workflow, canWrite }: { readonly workflow: WorkflowData; readonly canWrite: boolean }) {
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [outcome, setOutcome] = useState<string>();
  const { version: revision } = useDraftForm();
  const { mutate, busy, error } = useServiceMutation(PUBLISH);
  const publish = async () => {
    setOutcome(undefined);
    const data = await mutate({
      workflowId: String(workflow.workflowId),
      deploymentIds: [...selected],
      ifRevision: Number(revision),
    });
    if (!data) return;
    const { version, isNew, deployments } = data;
    const names = deployments.map(({ name }) => name).join(', ');
    setOutcome(
      isNew
        ? `Version ${version.number} is published. ${names} will use it from the next turn.`
        : `The draft is identical to version ${version.number}. ${names} will use it from the next turn.`,
    );
    setSelected([]);
  };
  return (
    <Section title="Publish the draft to">
      <ul className="flex flex-col divide-y divide-line">
        {workflow.deployments.nodes.map((deployment) => (
          <DeploymentChoice
            key={deployment.deploymentId}
            deployment={deployment}
            draftVersion={workflow.draftVersion}
            disabled={!canWrite}
            isSelected={selected.includes(deployment.deploymentId)}
            onSelect={(isSelected) => {
              const others = selected.filter((id) => id !== deployment.deploymentId);
              setSelected(isSelected ? [...others, deployment.deploymentId] : others);
            }}
          />
        ))}
      </ul>
      <div className="mt-4 flex flex-col items-start gap-4">
        {outcome && <Notice tone="ok">{outcome}</Notice>}
        {error && (
          <Notice tone="danger">
            {error.code === 'precondition_failed'
              ? 'Not published: somebody else has changed the draft. Review the changes, then publish again.'
              : error.message}
          </Notice>
        )}
        {canWrite && (
          <Button look="primary" busy={busy} disabled={selected.length === 0} onClick={publish}>
            Publish {selected.length > 1 ? `to ${selected.length} deployments` : ''}
          </Button>
        )}
      </div>
    </Section>
  );
}

interface ChoiceProps {
  readonly draftVersion: number | null;
  readonly deployment: Deployment;
  readonly disabled: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
}

function DeploymentChoice({ deployment, draftVersion, disabled, isSelected, onSelect }: ChoiceProps) {
  const href = useHref();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
      <label className="flex min-w-0 items-center gap-2.5">
        <input
          type="checkbox"
          checked={isSelected}
          disabled={disabled}
          onChange={(event) => onSelect(event.target.checked)}
          className="size-4 shrink-0 accent-accent"
        />
        <span className="min-w-0 break-words">{deployment.name}</span>
      </label>
      <span className="flex flex-wrap items-center gap-2">
        <RunningBadge {...deployment} draftVersion={draftVersion} />
        <Link to={href(`/deployments/${deployment.deploymentId}`)} className="text-accent hover:underline">
          Settings<span className="sr-only"> of {deployment.name}</span>
        </Link>
      </span>
    </li>
  );
}
