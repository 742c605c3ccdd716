import { Button } from '../../ui/button.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { LeavingGuard } from '../leaving.tsx';
import { Section } from '../shell/page-frame.tsx';
import type { DeploymentData } from './data.ts';
import { type DoubleTextPolicy, type LimitName, type SettingsEditing, useSettings } from './settings-form.ts';

interface Props {
  readonly deployment: DeploymentData;
  readonly mayWrite: boolean;
}

/** How it takes requests. It holds from the next one on. */
export function Settings({ deployment, mayWrite }: Props) {
  const editing = useSettings(deployment);
  const { form, change, unsaved, errorAt } = editing;
  return (
    <Section title="Settings">
      <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-6">
        <TextField
          label="Name"
          hint="Users see it on the hosted page."
          className="sm:max-w-md"
          value={form.name}
          error={errorAt('name')}
          onChange={(event) => change({ name: event.target.value })}
        />
        <div className="flex flex-col gap-4">
          <Checkbox
            label="Requests need credentials"
            hint="Off: anybody may start conversations from a page of the allowlist, within the limits below."
            checked={form.authRequired}
            onChange={(event) => change({ authRequired: event.target.checked })}
          />
          <Checkbox
            label="Hosted page"
            hint="Serves its page at its link, and to the widget. Who opens it needs no credentials."
            checked={form.hostedPage}
            onChange={(event) => change({ hostedPage: event.target.checked })}
          />
          <Checkbox
            label="Requests may bring client tools"
            hint="Beside those of the workflow."
            checked={form.dynamicClientTools}
            onChange={(event) => change({ dynamicClientTools: event.target.checked })}
          />
        </div>
        <Allowlist {...editing} />
        <DoubleText {...editing} />
        <Limits {...editing} />
        {mayWrite && <Save {...editing} />}
      </fieldset>
      <LeavingGuard unsaved={unsaved} />
    </Section>
  );
}

function Allowlist({ form, change, errorAt }: SettingsEditing) {
  const { allowlist } = form;
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium">Allowlist</legend>
      <p className="text-sm text-muted">
        Hosts like example.com whose pages, and those of their subdomains, may use it without credentials and show its
        hosted page.{' '}
        {allowlist.length === 0 &&
          !form.authRequired &&
          'While it is empty, requests without credentials may come from anywhere.'}
      </p>
      {allowlist.map((host, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <div key={index} className="flex items-start gap-2 sm:max-w-md">
          <TextField
            label={`Host ${index + 1}`}
            placeholder="example.com"
            className="min-w-0 flex-1"
            value={host}
            error={errorAt(`allowlist[${index}]`)}
            onChange={(event) =>
              change({ allowlist: allowlist.map((one, place) => (place === index ? event.target.value : one)) })
            }
          />
          <Button
            look="quiet"
            className="mt-6"
            aria-label={`Remove host ${index + 1}`}
            onClick={() => change({ allowlist: allowlist.filter((_, place) => place !== index) })}
          >
            <Icon name="close" className="size-4" />
          </Button>
        </div>
      ))}
      {errorAt('allowlist') && <p className="text-sm text-danger">{errorAt('allowlist')}</p>}
      <Button small className="self-start" onClick={() => change({ allowlist: [...allowlist, ''] })}>
        <Icon name="plus" className="size-4" /> Add host
      </Button>
    </fieldset>
  );
}

const POLICIES: readonly { readonly policy: DoubleTextPolicy; readonly label: string; readonly hint: string }[] = [
  { policy: 'reject', label: 'Refuse it', hint: 'The new message is answered 409, and the running turn goes on.' },
  { policy: 'enqueue', label: 'Let it wait', hint: 'It is answered in its order, behind at most nine others.' },
  {
    policy: 'interrupt',
    label: 'Interrupt',
    hint: 'The running turn stops and keeps its text, and the new message is next.',
  },
];

function DoubleText({ form, change }: SettingsEditing) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">A message while a turn is still running</legend>
      {POLICIES.map(({ policy, label, hint }) => (
        <label key={policy} className="flex gap-2.5">
          <input
            type="radio"
            name="double-text"
            checked={form.doubleTextPolicy === policy}
            onChange={() => change({ doubleTextPolicy: policy })}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span>
            {label}
            <span className="block text-sm text-muted">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

const LIMITS: readonly {
  readonly name: LimitName;
  readonly label: string;
  readonly hint: string;
  readonly usual: string;
}[] = [
  { name: 'turnsPerMinute', label: 'Turns of all callers', hint: 'Together, one-shot runs too.', usual: 'No limit' },
  { name: 'anonymousPerMinute', label: 'Requests by address', hint: 'Without credentials.', usual: '120' },
  { name: 'conversationTurnsPerMinute', label: 'Turns by conversation', hint: 'Without credentials.', usual: '30' },
];

function Limits({ form, change, errorAt }: SettingsEditing) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">Limits per minute</legend>
      <div className="grid gap-4 sm:grid-cols-3">
        {LIMITS.map(({ name, label, hint, usual }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            inputMode="numeric"
            placeholder={usual}
            value={form[name]}
            error={errorAt(name)}
            onChange={(event) => change({ [name]: event.target.value })}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Save({ unsaved, busy, fault, isWrong, save, discard }: SettingsEditing) {
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      {fault && <Notice tone="danger">Not saved: {fault.message}</Notice>}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span role="status">{unsaved ? <Badge tone="warn">Unsaved changes</Badge> : <Badge>All saved</Badge>}</span>
        <span className="flex gap-2">
          <Button disabled={!unsaved || busy} onClick={discard}>
            Discard
          </Button>
          <Button look="primary" disabled={!unsaved || isWrong} busy={busy} onClick={save}>
            Save settings
          </Button>
        </span>
      </div>
    </div>
  );
}
