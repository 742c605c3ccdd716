import type { ComponentProps } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { Checkbox, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { JsonField } from './json-field.tsx';

/** A form's field by its name. */
interface Bound<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
}

/** A control's own properties, without those that the form sets. */
type Own<Props> = Omit<Props, 'name' | 'value' | 'onChange' | 'onBlur' | 'error' | 'checked' | 'defaultValue' | 'form'>;

function useField<Values extends FieldValues, Output>({ control, name }: Bound<Values, Output>) {
  const { field, fieldState } = useController({ control, name });
  const { value, onChange, onBlur, ref } = field;
  // The schema's input types are strings for every field but checkboxes.
  return { value: value as string, onChange, onBlur, ref, name, error: fieldState.error?.message };
}

export function FormTextField<Values extends FieldValues, Output>({
  control,
  name,
  ...rest
}: Bound<Values, Output> & Own<ComponentProps<typeof TextField>>) {
  return <TextField {...rest} {...useField({ control, name })} />;
}

export function FormTextArea<Values extends FieldValues, Output>({
  control,
  name,
  ...rest
}: Bound<Values, Output> & Own<ComponentProps<typeof TextArea>>) {
  return <TextArea {...rest} {...useField({ control, name })} />;
}

export function FormSelect<Values extends FieldValues, Output>({
  control,
  name,
  ...rest
}: Bound<Values, Output> & Own<ComponentProps<typeof SelectField>>) {
  return <SelectField {...rest} {...useField({ control, name })} />;
}

export function FormCheckbox<Values extends FieldValues, Output>({
  control,
  name,
  ...rest
}: Bound<Values, Output> & Own<ComponentProps<typeof Checkbox>>) {
  const { field } = useController({ control, name });
  const { value, onChange, onBlur, ref } = field;
  return <Checkbox {...rest} checked={value === true} {...{ onChange, onBlur, ref, name }} />;
}

export function FormJsonField<Values extends FieldValues, Output>({
  control,
  name,
  ...rest
}: Bound<Values, Output> & Own<ComponentProps<typeof JsonField>>) {
  return <JsonField {...rest} {...useField({ control, name })} />;
}
