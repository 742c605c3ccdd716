import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react';
import { optionsOf, Select } from './select.tsx';
import type { SelectProps } from './select-props.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Why the value is invalid. */
  readonly error?: string | null | undefined;
  readonly className?: string;
}

/** How fields look: with the label above the control, or as chips that flow in lines. All chips have the same width. */
export const FieldLook = createContext<'stacked' | 'chip'>('stacked');

interface ControlProps {
  readonly id: string;
  readonly className: string;
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
  const look = LOOKS[useContext(FieldLook)];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={`flex flex-col gap-1 ${look.field} ${className}`}>
      <div className={look.frame}>
        <label id={labelId} htmlFor={id} className={look.label}>
          <bdi>{label}</bdi>
        </label>
        {children({
          id,
          className: look.control,
          'aria-describedby': described || undefined,
          'aria-invalid': error ? true : undefined,
        })}
      </div>
      {hint && (
        <p id={`${id}-hint`} className={look.hint}>
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

const BORDER = 'rounded-lg border border-edge bg-surface transition-colors hover:border-ink/60';
const CONTROL = 'w-full text-ink placeholder:text-muted disabled:opacity-60';

const LOOKS = {
  stacked: {
    field: '',
    frame: 'flex flex-col gap-1',
    label: 'text-sm font-medium',
    control: `${BORDER} ${CONTROL} min-h-10.5 px-3 py-2 aria-invalid:border-danger`,
    hint: 'text-sm text-muted',
  },
  chip: {
    field: 'group relative min-w-0 grow basis-52 text-sm',
    frame: `${BORDER} flex items-center has-[[aria-invalid=true]]:border-danger`,
    label: 'shrink-0 py-2 ps-3 text-muted',
    control: `${CONTROL} min-h-10 min-w-0 flex-1 rounded-lg bg-transparent px-2`,
    // It covers the content below only while it is needed.
    hint: 'popup absolute start-0 top-full z-20 mt-1 hidden max-w-full p-3 text-muted group-focus-within:block',
  },
} as const;

type Own<Attributes> = FieldProps & Omit<Attributes, 'id' | 'className'>;

export function TextField({ label, hint, error, className, ...rest }: Own<ComponentProps<'input'>>) {
  return (
    <Field {...{ label, hint, error }} {...(className ? { className } : {})}>
      {(control) => <input {...rest} {...control} />}
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
          className={`${control.className} ${mono ? 'font-mono text-sm' : ''}`}
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
