import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '../../ui/button.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { Form } from '../forms/form.tsx';
import { parseJson } from '../forms/rules.ts';
import { useGo } from '../location.ts';

/** The filters in the URL. */
interface Props {
  readonly type: string;
  readonly field: string;
  readonly value: string;
}

const schema = z.object({ type: z.string(), field: z.string(), value: z.string() }).check(
  z.superRefine(({ field, value }, context) => {
    const addIssue = (path: keyof Props, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (field === '' && value !== '') addIssue('field', 'Enter the field that has this value.');
    if (field !== '' && parseJson(value).problem)
      addIssue('value', 'This is not valid JSON. Put text in quotes: "Ann".');
  }),
);

export function ResourceFilters({ type, field, value }: Props) {
  const go = useGo();
  const { control, formState, handleSubmit } = useForm({
    resolver: zodResolver(schema),
    defaultValues: { type, field, value },
  });
  const submit = handleSubmit((values) => {
    go('/resources', {
      ...(values.type && { type: values.type }),
      ...(values.field && { field: values.field, value: values.value }),
    });
  });
  const form = { submit: () => submit(), busy: formState.isSubmitting, message: undefined };
  return (
    <Form form={form} className="flex flex-wrap items-start gap-3">
      <FormTextField control={control} name="type" label="Type" placeholder="Any" className="flex-1 basis-36" />
      <FormTextField control={control} name="field" label="Field" placeholder="Any" className="flex-1 basis-36" />
      <FormTextField
        control={control}
        name="value"
        label="Value as JSON"
        placeholder={'"Ann", 42, true, null'}
        className="flex-1 basis-48"
      />
      <div className="flex gap-2 pt-6">
        <Button type="submit">Filter</Button>
        {(type || field) && (
          <Button look="quiet" onClick={() => go('/resources')}>
            Show all
          </Button>
        )}
      </div>
    </Form>
  );
}
