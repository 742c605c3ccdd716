import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import type { Scope } from '../../../contract/scopes.ts';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Fault, faultAt } from '../fault.ts';
import { useEnvironment } from '../location.ts';
import { useChange } from '../requests.ts';
import { FormDialog } from '../shell/form-dialog.tsx';
import { type API_KEYS, CREATE_KEY, REVOKE_KEY, ROTATE_KEY, UPDATE_KEY } from './documents.ts';
import { ScopeChoice } from './scopes.tsx';

export type ApiKey = ResultOf<typeof API_KEYS>['apiKeys']['nodes'][number];

/** A secret that is shown this once. */
export interface Shown {
  readonly name: string;
  readonly secret: string;
  readonly isRotated: boolean;
}

interface Showing {
  readonly onShow: (shown: Shown) => void;
  readonly onClose: () => void;
}

interface OfKey {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function CreateDialog({ onShow, onClose }: Showing) {
  const environment = useEnvironment();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>([]);
  const [limit, setLimit] = useState('');
  const [isWithout, setWithout] = useState(false);
  const { make, busy, fault } = useChange(CREATE_KEY);
  const submit = async () => {
    setWithout(scopes.length === 0);
    if (scopes.length === 0) return;
    const made = await make({ input: { name, scopes: [...scopes], requestsPerMinute: limitOf(limit) } });
    if (made) onShow({ name, secret: made.createApiKey.secret, isRotated: false });
  };
  return (
    <FormDialog
      title={`Create a key of the ${environment} environment`}
      verb="Create"
      shownAt={['name', 'scopes', 'requestsPerMinute']}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <NameField {...{ name, fault }} onChange={setName} />
      <ScopeChoice
        chosen={scopes}
        onChange={setScopes}
        error={isWithout && scopes.length === 0 ? 'Choose what it may do.' : faultAt(fault, 'scopes')}
      />
      <LimitField {...{ limit, fault }} onChange={setLimit} />
    </FormDialog>
  );
}

export function EditDialog({ apiKey, onClose }: OfKey) {
  const [name, setName] = useState(apiKey.name);
  const [limit, setLimit] = useState(String(apiKey.requestsPerMinute ?? ''));
  const { make, busy, fault } = useChange(UPDATE_KEY);
  const submit = async () => {
    if (await make({ id: apiKey.apiKeyId, input: { name, requestsPerMinute: limitOf(limit) } })) onClose();
  };
  return (
    <FormDialog
      title={`Edit ${apiKey.name}`}
      verb="Save"
      shownAt={['name', 'requestsPerMinute']}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <NameField {...{ name, fault }} onChange={setName} />
      <LimitField {...{ limit, fault }} onChange={setLimit} />
      <p className="text-sm text-muted">
        What a key may do stays as it was made. For other scopes, create another key and revoke this one.
      </p>
    </FormDialog>
  );
}

export function RotateDialog({ apiKey: { apiKeyId, name, masked }, onShow, onClose }: OfKey & Showing) {
  const { make, busy, fault } = useChange(ROTATE_KEY);
  const submit = async () => {
    const made = await make({ id: apiKeyId });
    if (made) onShow({ name, secret: made.rotateApiKey.secret, isRotated: true });
  };
  return (
    <FormDialog title={`Rotate ${name}?`} verb="Rotate" look="danger" onSubmit={submit} {...{ busy, fault, onClose }}>
      <p>The key gets a new secret, which is shown once. Its name, scopes and limit stay.</p>
      <Notice tone="warn">
        The secret it has now, {masked}, stops at once: whatever uses it is answered 401, and what it has open ends.
      </Notice>
    </FormDialog>
  );
}

export function RevokeDialog({ apiKey: { apiKeyId, name, masked }, onClose }: OfKey) {
  const { make, busy, fault } = useChange(REVOKE_KEY);
  const submit = async () => {
    if (await make({ id: apiKeyId })) onClose();
  };
  return (
    <FormDialog
      title={`Revoke ${name}?`}
      verb="Revoke for ever"
      look="danger"
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <p>
        The key {masked} ends at once and for ever: whatever uses it is answered 401, and what it has open ends. It
        stays on this list.
      </p>
    </FormDialog>
  );
}

const limitOf = (text: string) => (text === '' ? null : Number(text));

interface FieldProps {
  readonly fault: Fault | undefined;
  readonly onChange: (value: string) => void;
}

function NameField({ name, fault, onChange }: FieldProps & { readonly name: string }) {
  return (
    <TextField
      label="Name"
      hint="For people: what uses the key."
      autoComplete="off"
      required
      value={name}
      error={faultAt(fault, 'name')}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function LimitField({ limit, fault, onChange }: FieldProps & { readonly limit: string }) {
  return (
    <TextField
      label="Requests a minute"
      hint="What is over it is answered 429. Empty for no limit."
      type="number"
      inputMode="numeric"
      min={1}
      max={LIMITS.ratePerMinute}
      step={1}
      placeholder="No limit"
      value={limit}
      error={faultAt(fault, 'requestsPerMinute')}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
