import { useId } from 'react';
import {
  type Control,
  type FieldArray,
  type FieldArrayPath,
  type FieldPath,
  type FieldValues,
  get,
  useFieldArray,
  useFormState,
} from 'react-hook-form';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FormTextField } from './fields.tsx';

interface Props<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldArrayPath<Values>;
  readonly title: string;
  readonly hint?: string;
  /** The singular, like "Header". */
  readonly noun: string;
  /** Hides the values while they are typed. */
  readonly secret?: boolean;
}

/** Rows of a name and a value that the user can add and remove. */
export function Pairs<Values extends FieldValues, Output>(props: Props<Values, Output>) {
  const { control, name, title, hint, noun, secret = false } = props;
  const id = useId();
  const { fields, append, remove } = useFieldArray({ control, name });
  // The array's items are pairs, which the generic type cannot express.
  const empty = { name: '', value: '' } as FieldArray<Values>;
  const shared = (index: number, field: 'name' | 'value') => ({
    control,
    name: `${name}.${index}.${field}` as FieldPath<Values>,
    autoComplete: 'off',
    label: field === 'name' ? 'Name' : 'Value',
    'aria-label': `${noun} ${index + 1}: ${field}`,
  });
  return (
    <fieldset aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <p id={id} className="text-sm font-medium">
        {title}
      </p>
      {hint && <p className="-mt-2 text-sm text-muted">{hint}</p>}
      {fields.map((row, index) => (
        <div key={row.id} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-start gap-2">
          <FormTextField {...shared(index, 'name')} />
          <FormTextField {...shared(index, 'value')} type={secret ? 'password' : 'text'} />
          <Button
            look="quiet"
            className="mt-6"
            aria-label={`Remove ${noun.toLowerCase()} ${index + 1}`}
            onClick={() => remove(index)}
          >
            <Icon name="close" className="size-4" />
          </Button>
        </div>
      ))}
      <ListError {...{ control, name }} />
      <Button small className="self-start" onClick={() => append(empty as never)}>
        <Icon name="plus" className="size-4" /> Add {noun.toLowerCase()}
      </Button>
    </fieldset>
  );
}

/** The error of a list as a whole. */
export function ListError<Values extends FieldValues, Output>({
  control,
  name,
}: Pick<Props<Values, Output>, 'control' | 'name'>) {
  const { errors } = useFormState({ control });
  const error: { readonly message?: string; readonly root?: { readonly message?: string } } | undefined = get(
    errors,
    name,
  );
  const message = error?.root?.message ?? error?.message;
  return message && <p className="text-sm text-danger">{message}</p>;
}
