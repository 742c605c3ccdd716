import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import { FormDialog } from '../shell/form-dialog.tsx';
import { CONNECT_INTEGRATION, DISCONNECT_INTEGRATION, type INTEGRATIONS, UPDATE_INTEGRATION } from './documents.ts';
import { fieldsOf, type HeaderRow, HeaderRows, headersOf } from './header-rows.tsx';

export type Integration = ResultOf<typeof INTEGRATIONS>['integrations']['nodes'][number];

const KINDS = { mcp: 'MCP server', http: 'HTTP API' } as const;

/** What people call the kinds. */
export const kindOf = (kind: Integration['kind']): string => KINDS[kind];

const ADDRESS_HINTS = {
  mcp: 'Where the server speaks streamable HTTP: an https address of the public internet.',
  http: 'What the paths of actions stand behind: an https address of the public internet.',
} as const;

export function ConnectDialog({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<Integration['kind']>('http');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [rows, setRows] = useState<readonly HeaderRow[]>([]);
  const { make, busy, fault } = useChange(CONNECT_INTEGRATION);
  const submit = async () => {
    if (await make({ input: { kind, name, url: url.trim(), headers: headersOf(rows) } })) onClose();
  };
  return (
    <FormDialog
      title="Connect an integration"
      verb="Connect"
      shownAt={['name', 'url', ...fieldsOf(rows)]}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <SelectField label="Kind" value={kind} onChange={(event) => setKind(event.target.value as Integration['kind'])}>
        <option value="http">{KINDS.http}</option>
        <option value="mcp">{KINDS.mcp}</option>
      </SelectField>
      <NameField {...{ name, fault }} onChange={setName} />
      <AddressField {...{ kind, url, fault }} onChange={setUrl} />
      <HeaderRows rows={rows} onChange={setRows} fault={fault} />
    </FormDialog>
  );
}

interface ChangeProps {
  readonly integration: Integration;
  readonly onClose: () => void;
}

export function EditDialog({ integration, onClose }: ChangeProps) {
  const { integrationId, kind, headerNames } = integration;
  const [name, setName] = useState(integration.name);
  const [url, setUrl] = useState(integration.url);
  const [rows, setRows] = useState<readonly HeaderRow[]>();
  const { make, busy, fault } = useChange(UPDATE_INTEGRATION);
  const submit = async () => {
    const headers = rows ? { headers: headersOf(rows) } : {};
    if (await make({ id: integrationId, input: { name, url: url.trim(), ...headers } })) onClose();
  };
  const replace = () => setRows(headerNames.map((header, key) => ({ key, name: header, value: '' })));
  return (
    <FormDialog
      title={`Edit ${integration.name}`}
      verb="Save"
      shownAt={['name', 'url', ...(rows ? fieldsOf(rows) : [])]}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <NameField {...{ name, fault }} onChange={setName} />
      <AddressField {...{ kind, url, fault }} onChange={setUrl} />
      {rows ? (
        <HeaderRows rows={rows} onChange={setRows} fault={fault} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-sunken p-3">
          <p className="min-w-0 flex-1 basis-60 text-sm">
            {headerNames.length > 0
              ? `Sent along as they are stored: ${headerNames.join(', ')}.`
              : 'No headers are sent along.'}
          </p>
          <Button small onClick={replace}>
            {headerNames.length > 0 ? 'Replace all headers' : 'Add headers'}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

export function DisconnectDialog({ integration: { integrationId, name }, onClose }: ChangeProps) {
  const { make, busy, fault } = useChange(DISCONNECT_INTEGRATION);
  const submit = async () => {
    if (await make({ id: integrationId })) onClose();
  };
  return (
    <FormDialog
      title={`Disconnect ${name}?`}
      verb="Disconnect for ever"
      look="danger"
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <p>
        This is for ever: the values of its headers are forgotten at once, and it cannot be connected again. Actions
        that name it fail until another integration called {name} is connected.
      </p>
    </FormDialog>
  );
}

interface FieldProps {
  readonly fault: ReturnType<typeof useChange>['fault'];
  readonly onChange: (value: string) => void;
}

function NameField({ name, fault, onChange }: FieldProps & { readonly name: string }) {
  return (
    <TextField
      label="Name"
      hint="Workflows name it by this."
      autoComplete="off"
      required
      value={name}
      error={faultAt(fault, 'name')}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function AddressField({
  kind,
  url,
  fault,
  onChange,
}: FieldProps & { readonly kind: Integration['kind']; readonly url: string }) {
  return (
    <TextField
      label="Address"
      hint={ADDRESS_HINTS[kind]}
      inputMode="url"
      autoComplete="off"
      placeholder="https://"
      required
      value={url}
      error={faultAt(fault, 'url')}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
