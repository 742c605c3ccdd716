import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { faultAt } from '../fault.ts';
import { useGo } from '../location.ts';
import { useChange, useReading } from '../requests.ts';
import { CREATE_DEPLOYMENT, WORKFLOW_NAMES } from './documents.ts';

interface Props {
  /** Of this workflow; chosen in the form where it is left out. */
  readonly workflowId?: number | undefined;
  readonly onClose: () => void;
}

/** Makes a deployment, and goes on to its page. */
export function CreateDeployment({ workflowId, onClose }: Props) {
  const { data } = useReading(WORKFLOW_NAMES, {});
  const workflows = data?.workflows.nodes ?? [];
  const [chosen, choose] = useState(workflowId);
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'chat' | 'agent'>('chat');
  const { make, busy, fault } = useChange(CREATE_DEPLOYMENT);
  const go = useGo();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (chosen === undefined) return;
    const made = await make({ workflowId: chosen, input: { name, kind } });
    if (made) go(`/deployments/${made.createDeployment.deploymentId}`);
  };
  return (
    <Dialog title="New deployment" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <SelectField
          label="Workflow"
          required
          value={chosen ?? ''}
          onChange={(event) => choose(Number(event.target.value) || undefined)}
        >
          <option value="">Choose one</option>
          {workflows.map((workflow) => (
            <option key={workflow.workflowId} value={workflow.workflowId}>
              {workflow.name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Name"
          hint="Users see it on the hosted page."
          required
          maxLength={100}
          value={name}
          error={faultAt(fault, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Kind"
          hint={
            kind === 'chat'
              ? 'Ordinary conversations. It stays what it is.'
              : 'Conversations whose client runs tools. It stays what it is.'
          }
          value={kind}
          onChange={(event) => setKind(event.target.value === 'agent' ? 'agent' : 'chat')}
        >
          <option value="chat">Chat</option>
          <option value="agent">Agent</option>
        </SelectField>
        {fault && !faultAt(fault, 'name') && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
