import { useWatch } from 'react-hook-form';
import { FormCheckbox, FormSelect, FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { useDraftForm } from './draft-form.ts';
import { setting } from './draft-values.ts';

/** What the model sees of a conversation. */
export function ContextFields() {
  const { control } = useDraftForm();
  const isCompact = useWatch({ control, name: 'context' }) === 'COMPACT';
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormSelect
          control={control}
          {...setting(
            'context',
            isCompact
              ? 'Providers cache what they have read.'
              : 'The model forgets the rest. Providers can cache little.',
          )}
        >
          <option value="WINDOW">Latest exchanges</option>
          <option value="COMPACT">Everything, summarized when long</option>
        </FormSelect>
        {isCompact ? (
          <FormTextField control={control} {...setting('contextTokens', 'Then it is summarized, {range}.')} />
        ) : (
          <FormTextField
            control={control}
            {...setting('historyLimit', 'Earlier exchanges that the model sees, {range}.')}
          />
        )}
      </div>
      {isCompact && (
        <>
          <FormTextField control={control} {...setting('summaryModel', 'Like openai:NAME. A small one costs less.')} />
          <FormTextArea control={control} {...setting('summaryInstructions', 'What a summary must keep.')} rows={2} />
          <FormCheckbox
            control={control}
            {...setting('allowFileReading', 'A summary names files, but has no content of them.')}
          />
        </>
      )}
    </>
  );
}
