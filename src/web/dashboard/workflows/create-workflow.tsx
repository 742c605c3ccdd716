import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { faultAt } from '../fault.ts';
import { useGo } from '../location.ts';
import { useChange } from '../requests.ts';
import { CREATE_WORKFLOW } from './documents.ts';

/** Makes a workflow, and goes on to its draft. */
export function CreateWorkflow({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [instructions, setInstructions] = useState('');
  const { make, busy, fault } = useChange(CREATE_WORKFLOW);
  const go = useGo();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const made = await make({ input: { name, draft: { instructions } } });
    if (made) go(`/workflows/${made.createWorkflow.workflowId}`);
  };
  const atField = faultAt(fault, 'name') ?? faultAt(fault, 'draft.instructions');
  return (
    <Dialog title="New workflow" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          maxLength={100}
          value={name}
          error={faultAt(fault, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextArea
          label="Instructions"
          hint="What the model is told first. Everything else you set in the draft."
          value={instructions}
          error={faultAt(fault, 'draft.instructions')}
          onChange={(event) => setInstructions(event.target.value)}
        />
        {fault && !atField && <Notice tone="danger">{fault.message}</Notice>}
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
