import { useState } from 'react';
import { SelectField } from '../../ui/field.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useServiceMutation } from '../requests.ts';
import { VersionChanges } from '../version-changes/version-changes.tsx';
import { ROLL_BACK } from './documents.ts';

interface Props {
  readonly workflow: {
    readonly workflowId: number;
    readonly versions: { readonly nodes: readonly { readonly number: number }[] };
    readonly deployments: { readonly nodes: readonly Deployment[] };
  };
  /** The version that is selected at first. By default one that is not running. */
  readonly version?: number;
  readonly onClose: () => void;
}

interface Deployment {
  readonly deploymentId: string;
  readonly name: string;
  readonly publishedVersion: number | null;
}

/** Changes the version of a deployment and shows the differences first. */
export function RollBack({ workflow, version: requested, onClose }: Props) {
  const deployments = workflow.deployments.nodes;
  const versions = workflow.versions.nodes.map(({ number }) => number);
  const [deploymentId, setDeploymentId] = useState(
    () =>
      (deployments.find(({ publishedVersion }) => publishedVersion !== requested) ?? deployments[0])?.deploymentId ??
      '',
  );
  const deployment = deployments.find((one) => one.deploymentId === deploymentId);
  const running = deployment?.publishedVersion ?? null;
  const [version, setVersion] = useState(() => requested ?? versions.find((number) => number !== running) ?? 1);
  const { mutate, busy, error } = useServiceMutation(ROLL_BACK);
  const confirm = async () => {
    if (await mutate({ deploymentId, version })) onClose();
  };
  return (
    <ConfirmDialog
      title="Change version"
      verb={`Run version ${version}`}
      look="primary"
      disabled={!deployment || running === version}
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <SelectField label="Deployment" value={deploymentId} onChange={(event) => setDeploymentId(event.target.value)}>
          {deployments.map(({ deploymentId: id, name, publishedVersion }) => (
            <option key={id} value={id}>
              {name} ({publishedVersion === null ? 'not published' : `runs version ${publishedVersion}`})
            </option>
          ))}
        </SelectField>
        <SelectField label="Version" value={version} onChange={(event) => setVersion(Number(event.target.value))}>
          {/* The list holds the latest 100 versions. The requested one may be older. */}
          {[...new Set([...versions, version])].map((number) => (
            <option key={number} value={number}>
              Version {number}
            </option>
          ))}
        </SelectField>
      </div>
      <Preview workflowId={workflow.workflowId} {...{ running, version }} />
    </ConfirmDialog>
  );
}

interface PreviewProps {
  readonly workflowId: number;
  readonly running: number | null;
  readonly version: number;
}

function Preview({ workflowId, running, version }: PreviewProps) {
  if (running === version) return <p className="text-muted">This version is already running.</p>;
  if (running === null)
    return <p className="text-muted">This deployment is not published yet. It will run version {version}.</p>;
  return (
    <>
      <p>The next turn uses version {version}. The draft does not change. Differences:</p>
      <VersionChanges workflowId={workflowId} from={running} to={version} />
    </>
  );
}
