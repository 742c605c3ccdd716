import type { ResultOf } from 'gql.tada';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import * as z from 'zod/mini';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { SCOPES, type Scope } from '../../../contract/scopes.ts';
import { Notice } from '../../ui/notice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { optionalInteger, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { useEnvironment } from '../location.ts';
import { useServiceMutation } from '../requests.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { type API_KEYS, CREATE_KEY, REVOKE_KEY, ROTATE_KEY, UPDATE_KEY } from './documents.ts';
import { ScopeFields } from './scopes.tsx';

export type ApiKey = ResultOf<typeof API_KEYS>['apiKeys']['nodes'][number];

/** A new secret. It is shown once. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
  readonly isRotated: boolean;
}

interface SecretProps {
  readonly onSecret: (secret: NewSecret) => void;
  readonly onClose: () => void;
}

interface KeyProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

const editSchema = z.object({
  name: requiredText('a name', LIMITS.keyNameLength),
  requestsPerMinute: optionalInteger(1, LIMITS.ratePerMinute),
});

const createSchema = z.extend(editSchema, {
  scopes: z.array(z.enum(SCOPES)).check(z.minLength(1, 'Select at least one scope.')),
});

export function CreateDialog({ onSecret, onClose }: SecretProps) {
  const environment = useEnvironment();
  const form = useMutationForm({
    schema: createSchema,
    defaultValues: { name: '', requestsPerMinute: '', scopes: [] as Scope[] },
    mutation: CREATE_KEY,
    variables: ({ scopes, ...input }) => ({ input: { ...input, scopes: scopes.map(enumNameOf) } }),
    onSuccess: ({ secret }, { name }) => onSecret({ name, secret, isRotated: false }),
  });
  const { control } = form;
  return (
    <FormDialog title={`Create a key for the ${environment} environment`} verb="Create" {...{ form, onClose }}>
      <NameField control={control} name="name" />
      <ScopeFields control={control} name="scopes" />
      <LimitField control={control} name="requestsPerMinute" />
    </FormDialog>
  );
}

export function EditDialog({ apiKey: { apiKeyId, name, requestsPerMinute }, onClose }: KeyProps) {
  const form = useMutationForm({
    schema: editSchema,
    defaultValues: { name, requestsPerMinute: String(requestsPerMinute ?? '') },
    mutation: UPDATE_KEY,
    variables: (changes) => ({ input: { id: apiKeyId, ...changes } }),
    onSuccess: onClose,
  });
  const { control } = form;
  return (
    <FormDialog title={`Edit ${name}`} verb="Save" {...{ form, onClose }}>
      <NameField control={control} name="name" />
      <LimitField control={control} name="requestsPerMinute" />
      <p className="text-sm text-muted">
        The scopes of a key cannot change. For other scopes, create a new key and revoke this one.
      </p>
    </FormDialog>
  );
}

export function RotateDialog({ apiKey: { apiKeyId, name, masked }, onSecret, onClose }: KeyProps & SecretProps) {
  const { mutate, busy, error } = useServiceMutation(ROTATE_KEY);
  const confirm = async () => {
    const data = await mutate({ id: apiKeyId });
    if (data) onSecret({ name, secret: data.secret, isRotated: true });
  };
  return (
    <ConfirmDialog title={`Rotate ${name}?`} verb="Rotate" onConfirm={confirm} {...{ busy, error, onClose }}>
      <p>The key gets a new secret, which is shown once. Its name, scopes and limit do not change.</p>
      <Notice tone="warn">
        The current secret, {masked}, stops working immediately. Requests that use it get 401, and its open streams end.
      </Notice>
    </ConfirmDialog>
  );
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
