import { type ComponentProps, type ReactNode, useId } from 'react';
import { optionsOf, Select } from './select.tsx';
import type { SelectProps } from './select-props.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Why the value is invalid. */
  readonly error?: string | null | undefined;
  readonly className?: string;
}

interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** Connects a control with its label, hint and error for screen readers. */
function Field({
  label,
  labelId,
  hint,
  error,
  className = '',
  children,
}: FieldProps & {
  /** The ID of the label, for a control that `htmlFor` cannot name. */
  readonly labelId?: string;
  readonly children: (control: ControlProps) => ReactNode;
}) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={`flex flex-col gap-1 ${className}`}>
      <label id={labelId} htmlFor={id} className="text-sm font-medium">
        <bdi>{label}</bdi>
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-sm text-danger">
          {error}
        </p>
      )}
    </div>
  );
}

const CONTROL =
  'w-full min-h-10.5 rounded-lg border border-edge bg-surface px-3 py-2 text-ink transition-colors placeholder:text-muted hover:border-ink/60 disabled:opacity-60 aria-invalid:border-danger';

type Own<Attributes> = FieldProps & Omit<Attributes, 'id' | 'className'>;

export function TextField({ label, hint, error, className, ...rest }: Own<ComponentProps<'input'>>) {
  return (
    <Field {...{ label, hint, error }} {...(className ? { className } : {})}>
      {(control) => <input {...rest} {...control} className={CONTROL} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  className,
  mono = false,
  ...rest
}: Own<ComponentProps<'textarea'>> & { readonly mono?: boolean }) {
  return (
    <Field {...{ label, hint, error }} {...(className ? { className } : {})}>
      {(control) => (
        <textarea
          dir={mono ? 'ltr' : rest.value ? 'auto' : undefined}
          rows={4}
          {...rest}
          {...control}
          className={`${CONTROL} ${mono ? 'font-mono text-sm' : ''}`}
        />
      )}
    </Field>
  );
}

/** A list of options with a label. */
export function SelectField({
  label,
  hint,
  error,
  className,
  children,
  value = '',
  onChange,
  ...rest
}: FieldProps & SelectProps) {
  const labelId = useId();
  return (
    <Field {...{ label, labelId, hint, error }} {...(className ? { className } : {})}>
      {(control) => (
        <Select
          {...rest}
          {...control}
          labelId={labelId}
          className={CONTROL}
          value={String(value)}
          onValue={(next) => onChange?.({ target: { value: next } })}
          options={optionsOf(children)}
        />
      )}
    </Field>
  );
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'className'> {
  readonly label: ReactNode;
  readonly hint?: string;
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <input
        type="checkbox"
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
