import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { readJsonObject } from '../build/json.ts';
import { JsonField } from '../build/json-field.tsx';
import { faultAt } from '../fault.ts';
import { useGo } from '../location.ts';
import { useChange } from '../requests.ts';
import { CREATE_RESOURCE } from './documents.ts';

interface Props {
  /** The type that is looked at, or ''. */
  readonly type: string;
  readonly onClose: () => void;
}

/** Makes a resource, and goes on to its page. */
export function CreateResource({ type: shown, onClose }: Props) {
  const [type, setType] = useState(shown);
  const [text, setText] = useState('{\n  \n}');
  const { make, busy, fault } = useChange(CREATE_RESOURCE);
  const go = useGo();
  const read = readJsonObject(text);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (read.problem !== undefined) return;
    const data = await make({ input: { type, fields: read.value } });
    if (data) go(`/resources/${data.createResource.resourceId}`);
  };
  // A fault within the fields names the one that it is of.
  const ofFields = fault?.param?.includes('fields') ? fault.message : undefined;
  return (
    <Dialog title="New resource" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Type"
          hint="A word of yours: a-z, 0-9 and _, like contact."
          required
          maxLength={64}
          value={type}
          error={faultAt(fault, 'type')}
          onChange={(event) => setType(event.target.value)}
        />
        <JsonField
          label="Fields"
          hint="A JSON object: values by name."
          rows={8}
          value={text}
          error={read.problem ?? ofFields}
          onChange={setText}
        />
        {fault && !ofFields && !faultAt(fault, 'type') && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy} disabled={read.problem !== undefined}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
