import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import * as z from 'zod/mini';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { SCOPES, type Scope } from '../../../contract/scopes.ts';
import { API_KEY_SETTINGS, CREATE_API_KEY } from '../../../shapes/api-keys.ts';
import { FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { formRules } from '../forms/shape-rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useEnvironment } from '../location.ts';
import { useServiceMutation } from '../requests.ts';
import { type ApiKey, CREATE_KEY, REVOKE_KEY, UPDATE_KEY } from './documents.ts';
import {
  NO_RESTRICTIONS,
  RestrictionFields,
  restrictionField,
  restrictionsOf,
  restrictionsSchema,
} from './restrictions.tsx';
import { ScopeFields } from './scopes.tsx';

/** A new secret. It is shown once. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
  /** When the secret before a rotation stops working. Null: it has stopped. Undefined for a new key. */
  readonly previousEndsAt?: string | null;
}

export interface SecretProps {
  readonly onSecret: (secret: NewSecret) => void;
  readonly onClose: () => void;
}

export interface KeyProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

const editSchema = z.extend(restrictionsSchema, {
  name: requiredText('a name', CREATE_API_KEY.fields.name.most),
  ...formRules({ requestsPerMinute: API_KEY_SETTINGS.requestsPerMinute }),
});

const createSchema = z.extend(editSchema, {
  scopes: z.array(z.enum(SCOPES)).check(z.minLength(1, 'Select at least one scope.')),
});

export function CreateDialog({ onSecret, onClose }: SecretProps) {
  const environment = useEnvironment();
  const form = useMutationForm({
    schema: createSchema,
    defaultValues: { name: '', requestsPerMinute: '', scopes: [] as Scope[], ...NO_RESTRICTIONS },
    mutation: CREATE_KEY,
    variables: ({ scopes, ...input }) => ({ input: { ...input, scopes: scopes.map(enumNameOf) } }),
    onSuccess: ({ secret }, { name }) => onSecret({ name, secret }),
    mapField: restrictionField,
  });
  const { control } = form;
  return (
    <FormDialog title={`Create a key for the ${environment} environment`} verb="Create" {...{ form, onClose }}>
      <NameField control={control} name="name" />
      <ScopeFields control={control} name="scopes" />
      <LimitField control={control} name="requestsPerMinute" />
      <RestrictionFields control={control} />
    </FormDialog>
  );
}

export function EditDialog({ apiKey, onClose }: KeyProps) {
  const { apiKeyId, name, requestsPerMinute } = apiKey;
  const defaultValues = { name, requestsPerMinute: String(requestsPerMinute ?? ''), ...restrictionsOf(apiKey) };
  const form = useMutationForm({
    schema: editSchema,
    defaultValues,
    mutation: UPDATE_KEY,
    variables: (settings) => ({ input: { id: apiKeyId, ...changesOf(editSchema.parse(defaultValues), settings) } }),
    onSuccess: onClose,
    mapField: restrictionField,
  });
  const { control } = form;
  return (
    <FormDialog title={`Edit ${name}`} verb="Save" {...{ form, onClose }}>
      <NameField control={control} name="name" />
      <LimitField control={control} name="requestsPerMinute" />
      <RestrictionFields control={control} />
      <p className="text-sm text-muted">
        The scopes of a key cannot change. For other scopes, create a new key and revoke this one.
      </p>
    </FormDialog>
  );
}

/** Only what differs, so that an expired key can get another name. */
function changesOf<Settings extends object>(before: Settings, after: Settings): Partial<Settings> {
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof Settings]);
  return Object.fromEntries(Object.entries(after).filter(isChanged)) as Partial<Settings>;
}

export function RevokeDialog({ apiKey: { apiKeyId, name, masked }, onClose }: KeyProps) {
  const { mutate, busy, error } = useServiceMutation(REVOKE_KEY);
  const confirm = async () => {
    if (await mutate({ id: apiKeyId })) onClose();
  };
  return (
    <ConfirmDialog
      title={`Revoke ${name}?`}
      verb="Revoke permanently"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>
        The key {masked} stops working immediately and permanently. Requests that use it get 401, and its open streams
        end. The key stays in this list.
      </p>
    </ConfirmDialog>
  );
}

interface FieldProps<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
}

function NameField<Values extends FieldValues, Output>(field: FieldProps<Values, Output>) {
  return <FormTextField {...field} label="Name" hint="Describe what uses the key." autoComplete="off" required />;
}

function LimitField<Values extends FieldValues, Output>(field: FieldProps<Values, Output>) {
  return (
    <FormTextField
      {...field}
      label="Requests per minute"
      hint="Requests over the limit get 429. Leave empty for no limit."
      inputMode="numeric"
      placeholder="No limit"
    />
  );
}
