import * as z from 'zod/mini';
import { UPDATE_ME as INPUT } from '../../../shapes/accounts.ts';
import { FormTextField } from '../forms/fields.tsx';
import { requiredText } from '../forms/rules.ts';
import { SaveBar } from '../forms/save-bar.tsx';
import { type Stored, useEditForm } from '../forms/use-edit-form.ts';
import type { RequestError } from '../request-error.ts';
import { useSend } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { UPDATE_ME, UPDATE_WORKSPACE } from './documents.ts';

const schema = z.object({ name: requiredText('a name', INPUT.fields.name.most).check(z.trim()) });

type Values = z.input<typeof schema>;

const storedOf = (name: string): Stored<Values> => ({ version: name, values: { name } });

/** The name of the member, in all their workspaces. */
export function OwnNameForm() {
  const { user } = useMe();
  const send = useSend(UPDATE_ME);
  return (
    <NameForm
      label="Your name"
      hint="Members of all your workspaces see it. The audit log keeps your earlier names."
      name={user.name}
      save={async (values) => {
        const { data, error } = await send(values);
        return error ? { error } : { saved: storedOf(data.me.user.name) };
      }}
    />
  );
}

/** The name of the workspace. */
export function WorkspaceNameForm() {
  const { workspace } = useMe();
  const send = useSend(UPDATE_WORKSPACE);
  return (
    <NameForm
      label="Name of the workspace"
      name={workspace.name}
      save={async (values) => {
        const { data, error } = await send(values);
        return error ? { error } : { saved: storedOf(data.workspace.name) };
      }}
    />
  );
}

type Saved = { readonly saved: Stored<Values> } | { readonly error: RequestError };

interface NameFormProps {
  readonly label: string;
  readonly hint?: string;
  readonly name: string;
  readonly save: (values: Values) => Promise<Saved>;
}

function NameForm({ label, hint, name, save }: NameFormProps) {
  const form = useEditForm({ schemaFor: () => schema, stored: storedOf(name), save });
  return (
    <form noValidate className="flex flex-col gap-4">
      <FormTextField
        control={form.control}
        name="name"
        label={label}
        {...(hint && { hint })}
        className="max-w-md"
        autoComplete="off"
        required
      />
      <SaveBar verb="Save name" form={form} />
    </form>
  );
}
