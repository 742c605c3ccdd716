import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useChange } from '../requests.ts';
import { VersionChanges } from '../workflows/version-changes.tsx';
import { ROLL_BACK } from './documents.ts';

interface Props {
  readonly workflow: {
    readonly workflowId: number;
    readonly versions: { readonly nodes: readonly { readonly number: number }[] };
    readonly deployments: { readonly nodes: readonly Runner[] };
  };
  /** The version to begin with; another than what runs by default. */
  readonly version?: number;
  readonly onClose: () => void;
}

interface Runner {
  readonly deploymentId: string;
  readonly name: string;
  readonly publishedVersion: number | null;
}

/** Lets a deployment run another version, once one has seen what that changes. */
export function RollBack({ workflow, version: asked, onClose }: Props) {
  const deployments = workflow.deployments.nodes;
  const versions = workflow.versions.nodes.map(({ number }) => number);
  const [deploymentId, setDeploymentId] = useState(
    () =>
      (deployments.find(({ publishedVersion }) => publishedVersion !== asked) ?? deployments[0])?.deploymentId ?? '',
  );
  const deployment = deployments.find((one) => one.deploymentId === deploymentId);
  const running = deployment?.publishedVersion ?? null;
  const [version, setVersion] = useState(() => asked ?? versions.find((number) => number !== running) ?? 1);
  const { make, busy, fault } = useChange(ROLL_BACK);
  const confirm = async () => {
    if (await make({ deploymentId, version })) onClose();
  };
  return (
    <Dialog title="Run another version" onClose={onClose}>
      <div className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
          <SelectField
            label="Deployment"
            value={deploymentId}
            onChange={(event) => setDeploymentId(event.target.value)}
          >
            {deployments.map(({ deploymentId: id, name, publishedVersion }) => (
              <option key={id} value={id}>
                {name} ({publishedVersion === null ? 'not published' : `runs version ${publishedVersion}`})
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Version to run"
            value={version}
            onChange={(event) => setVersion(Number(event.target.value))}
          >
            {/* One that was asked for is named even where the list is too long to hold it. */}
            {[...new Set([...versions, version])].map((number) => (
              <option key={number} value={number}>
                Version {number}
              </option>
            ))}
          </SelectField>
        </div>
        <Preview workflowId={workflow.workflowId} {...{ running, version }} />
        {fault && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={busy} disabled={!deployment || running === version} onClick={confirm}>
            Run version {version}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

interface PreviewProps {
  readonly workflowId: number;
  readonly running: number | null;
  readonly version: number;
}

function Preview({ workflowId, running, version }: PreviewProps) {
  if (running === version) return <p className="text-muted">It runs this version already.</p>;
  if (running === null) return <p className="text-muted">It is not published. It will answer by version {version}.</p>;
  return (
    <>
      <p>From the next turn on it answers by version {version}. The draft stays as it is. This changes:</p>
      <VersionChanges workflowId={workflowId} from={running} to={version} />
    </>
  );
}
