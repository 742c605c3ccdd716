import type { ResultOf } from 'gql.tada';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { FormCheckbox, FormSelect, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { ListError, Pairs } from '../forms/pairs.tsx';
import { atMost, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useServiceMutation } from '../requests.ts';
import { CONNECT_INTEGRATION, DISCONNECT_INTEGRATION, type INTEGRATIONS, UPDATE_INTEGRATION } from './documents.ts';

export type Integration = ResultOf<typeof INTEGRATIONS>['integrations']['nodes'][number];
type Kind = Integration['kind'];

const KINDS = { MCP: 'MCP server', HTTP: 'HTTP API' } as const;

export const kindName = (kind: Kind): string => KINDS[kind];

const URL_HINTS = {
  MCP: 'The public https address of a server with streamable HTTP.',
  HTTP: 'The public https address that the paths of actions are appended to.',
} as const;

const fields = {
  name: requiredText('a name', LIMITS.integrationNameLength),
  url: requiredText('a URL', LIMITS.addressLength).check(z.trim()),
  headers: z
    .array(
      z.object({
        name: requiredText('a name', LIMITS.headerNameLength).check(z.trim()),
        value: z.string().check(z.minLength(1, 'Enter a value.')),
      }),
    )
    .check(atMost(LIMITS.integrationHeaders, 'headers')),
  trustsHints: z.boolean(),
};

const connectSchema = z.object({ ...fields, kind: z.enum(['HTTP', 'MCP']) });
const editSchema = z.object({ ...fields, replacesHeaders: z.boolean() });

const HEADERS = {
  title: 'Headers',
  noun: 'Header',
  hint: 'Sent with every request, like Authorization. Values are encrypted and never shown again.',
} as const;

export function ConnectDialog({ onClose }: { readonly onClose: () => void }) {
  const form = useMutationForm({
    schema: connectSchema,
    defaultValues: {
      kind: 'HTTP' as Kind,
      name: '',
      url: '',
      headers: [] as { name: string; value: string }[],
      trustsHints: false,
    },
    mutation: CONNECT_INTEGRATION,
    variables: (input) => ({ input }),
    onSuccess: onClose,
  });
  const { control } = form;
  const kind = useWatch({ control, name: 'kind' });
  return (
    <FormDialog title="Connect an integration" verb="Connect" {...{ form, onClose }}>
      <FormSelect control={control} name="kind" label="Type">
        <option value="HTTP">{KINDS.HTTP}</option>
        <option value="MCP">{KINDS.MCP}</option>
      </FormSelect>
      <NameField control={control} name="name" />
      <UrlField control={control} name="url" kind={kind} />
      <Pairs control={control} name="headers" secret {...HEADERS} />
      {kind === 'MCP' && <TrustField control={control} name="trustsHints" />}
    </FormDialog>
  );
}

interface DialogProps {
  readonly integration: Integration;
  readonly onClose: () => void;
}

export function EditDialog({ integration, onClose }: DialogProps) {
  const { integrationId, kind, headerNames, name, url, trustsHints } = integration;
  const form = useMutationForm({
    schema: editSchema,
    defaultValues: { name, url, trustsHints, replacesHeaders: false, headers: [] as { name: string; value: string }[] },
    mutation: UPDATE_INTEGRATION,
    variables: ({ replacesHeaders, headers, ...rest }) => ({
      input: { id: integrationId, ...rest, ...(replacesHeaders && { headers }) },
    }),
    onSuccess: onClose,
  });
  const { control, setValue } = form;
  const replacesHeaders = useWatch({ control, name: 'replacesHeaders' });
  const replaceHeaders = () => {
    const rows = headerNames.map((header) => ({ name: header, value: '' }));
    setValue('headers', rows);
    setValue('replacesHeaders', true);
  };
  return (
    <FormDialog title={`Edit ${name}`} verb="Save" {...{ form, onClose }}>
      <NameField control={control} name="name" />
      <UrlField control={control} name="url" kind={kind} />
      {replacesHeaders ? (
        <Pairs control={control} name="headers" secret {...HEADERS} />
      ) : (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-sunken p-3">
          <p className="min-w-0 flex-1 basis-60 text-sm">
            {headerNames.length > 0 ? `Stored headers: ${headerNames.join(', ')}.` : 'No stored headers.'}
          </p>
          <Button small onClick={replaceHeaders}>
            {headerNames.length > 0 ? 'Replace all headers' : 'Add headers'}
          </Button>
          <ListError control={control} name="headers" />
        </div>
      )}
      {kind === 'MCP' && <TrustField control={control} name="trustsHints" />}
    </FormDialog>
  );
}

export function DisconnectDialog({ integration: { integrationId, name }, onClose }: DialogProps) {
  const { mutate, busy, error } = useServiceMutation(DISCONNECT_INTEGRATION);
  const confirm = async () => {
    if (await mutate({ id: integrationId })) onClose();
  };
  return (
    <ConfirmDialog
      title={`Disconnect ${name}?`}
      verb="Disconnect permanently"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>
        You cannot undo this. The values of its headers are deleted immediately. Actions that use {name} fail until you
        connect another integration with this name.
      </p>
    </ConfirmDialog>
  );
}

interface FieldProps<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
}

function NameField<Values extends FieldValues, Output>(field: FieldProps<Values, Output>) {
  return (
    <FormTextField {...field} label="Name" hint="Workflows refer to it by this name." autoComplete="off" required />
  );
}

function TrustField<Values extends FieldValues, Output>(field: FieldProps<Values, Output>) {
  return (
    <FormCheckbox
      {...field}
      label="Trust read-only hints"
      hint="Tools that the server calls read-only do not count as actions that may have changed something."
    />
  );
}

function UrlField<Values extends FieldValues, Output>({
  kind,
  ...field
}: FieldProps<Values, Output> & { readonly kind: Kind }) {
  return (
    <FormTextField
      {...field}
      label="URL"
      hint={URL_HINTS[kind]}
      inputMode="url"
      autoComplete="off"
      placeholder="https://"
      required
    />
  );
}
