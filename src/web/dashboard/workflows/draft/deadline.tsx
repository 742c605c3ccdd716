import { useWatch } from 'react-hook-form';
import { FormJsonField, FormSelect, FormTextField } from '../../forms/fields.tsx';
import { useDraftForm } from './draft-form.ts';

interface Props {
  readonly path:
    | `clientTools.${number}`
    | `httpActions.${number}.approval`
    | `mcpServers.${number}.approval`
    | `toolApprovals.${number}`;
}

/** The deadline of a pending call, and what happens then. */
export function DeadlineFields({ path }: Props) {
  const { control } = useDraftForm();
  const seconds = useWatch({ control, name: `${path}.expiresAfterSeconds` });
  const mode = useWatch({ control, name: `${path}.expiryMode` });
  const hasDeadline = seconds.trim() !== '';
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormTextField
          control={control}
          name={`${path}.expiresAfterSeconds`}
          label="Expires after seconds"
          inputMode="numeric"
          placeholder="Never"
          hint="Leave empty to wait without a limit."
        />
        {hasDeadline && (
          <FormSelect control={control} name={`${path}.expiryMode`} label="If nobody answers in time">
            <option value="CANCEL">Cancel the turn</option>
            <option value="DENY">Continue without it</option>
            <option value="DEFAULT">Continue with an output</option>
          </FormSelect>
        )}
      </div>
      {hasDeadline && mode === 'DEFAULT' && (
        <FormJsonField
          control={control}
          name={`${path}.expiryOutput`}
          label="Output if nobody answers"
          hint="A JSON object. If it does not fit the call, the turn continues without it."
          placeholder='{ "answers": [] }'
        />
      )}
    </>
  );
}
