import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Pair, Pairs, valuesOf } from '../build/pairs.tsx';
import { faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import { CREATE_TRIGGER } from './documents.ts';

interface Deployment {
  readonly deploymentId: string;
  readonly name: string;
  readonly kind: 'chat' | 'agent';
}

interface Props {
  /** Those that are published: no other has triggers. */
  readonly deployments: readonly Deployment[];
  /** The id of the one to begin with, or ''. */
  readonly chosen: string;
  readonly onClose: () => void;
}

/** Stores a first message, and shows its link. */
export function CreateTrigger({ deployments, chosen, onClose }: Props) {
  const [link, setLink] = useState<string>();
  const linkOf = ({ deploymentId, chatUrl, agentUrl }: Made) =>
    deployments.find((one) => one.deploymentId === deploymentId)?.kind === 'agent' ? agentUrl : chatUrl;
  return (
    <Dialog title={link ? 'The trigger is made' : 'New trigger'} onClose={onClose}>
      {link ? (
        <Link link={link} onClose={onClose} />
      ) : (
        <Form {...{ deployments, chosen, onClose }} onMade={(made) => setLink(linkOf(made))} />
      )}
    </Dialog>
  );
}

interface Made {
  readonly deploymentId: string;
  readonly chatUrl: string;
  readonly agentUrl: string;
}

function Link({ link, onClose }: { readonly link: string; readonly onClose: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <p>Whoever opens this link first starts its conversation.</p>
      <div className="flex flex-wrap items-center gap-2 rounded-lg bg-sunken px-3 py-2">
        <code className="min-w-0 flex-1 basis-48 break-all font-mono text-sm">{link}</code>
        <CopyButton text={link} label="Copy link" />
      </div>
      <Button look="primary" className="self-end" onClick={onClose}>
        Done
      </Button>
    </div>
  );
}

function Form({ deployments, chosen, onClose, onMade }: Props & { readonly onMade: (made: Made) => void }) {
  const [deploymentId, setDeploymentId] = useState(
    () => (deployments.find((one) => one.deploymentId === chosen) ?? deployments[0])?.deploymentId ?? '',
  );
  const [text, setText] = useState('');
  const [variables, setVariables] = useState<readonly Pair[]>([]);
  const [uiSurface, setUiSurface] = useState('');
  const [hours, setHours] = useState('24');
  const [isForever, setForever] = useState(false);
  const { make, busy, fault } = useChange(CREATE_TRIGGER);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      content: [{ type: 'text' as const, text }],
      ttlHours: isForever ? null : Number(hours),
      ...(variables.length > 0 ? { variables: valuesOf(variables) } : {}),
      ...(uiSurface ? { uiSurface } : {}),
    };
    const data = await make({ deploymentId, input });
    if (data) onMade(data.createTrigger);
  };
  const named = ['content[0].text', 'ttlHours', 'uiSurface', 'variables'].some((field) => faultAt(fault, field));
  const ofValue = (index: number, field: 'name' | 'value') =>
    field === 'value' ? faultAt(fault, `variables.${variables[index]?.name}`) : undefined;
  if (deployments.length === 0) return <p>Publish a deployment first: triggers start a published one.</p>;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <SelectField label="Deployment" value={deploymentId} onChange={(event) => setDeploymentId(event.target.value)}>
        {deployments.map((one) => (
          <option key={one.deploymentId} value={one.deploymentId}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <TextArea
        label="First message"
        hint="What the user says first, in their name."
        required
        value={text}
        error={faultAt(fault, 'content[0].text')}
        onChange={(event) => setText(event.target.value)}
      />
      <Pairs
        title="Variables"
        hint="Fill in {{NAME}} in the instructions."
        noun="Variable"
        pairs={variables}
        error={faultAt(fault, 'variables')}
        errorAt={ofValue}
        onChange={setVariables}
      />
      <TextField
        label="Surface"
        hint="A hint for your client where to show it, like chat or assessment. May be empty."
        maxLength={64}
        value={uiSurface}
        error={faultAt(fault, 'uiSurface')}
        onChange={(event) => setUiSurface(event.target.value)}
      />
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <TextField
          label="Hours until it expires"
          type="number"
          min={1}
          max={8760}
          required={!isForever}
          disabled={isForever}
          value={hours}
          error={faultAt(fault, 'ttlHours')}
          onChange={(event) => setHours(event.target.value)}
        />
        <div className="pb-2">
          <Checkbox label="Never expires" checked={isForever} onChange={(event) => setForever(event.target.checked)} />
        </div>
      </div>
      {fault && !named && <Notice tone="danger">{fault.message}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy}>
          Make trigger
        </Button>
      </div>
    </form>
  );
}
