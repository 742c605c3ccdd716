import { useId, useRef } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/numbers.ts';

interface Props<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
}

const TYPES = ['image/png', 'image/jpeg', 'image/webp'];

/** A picture. The value is its address: a path of this host or a data: URL. */
export function LogoField<Values extends FieldValues, Output>({ control, name }: Props<Values, Output>) {
  const { field, fieldState } = useController({ control, name });
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const source: string = field.value;
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const problem = problemOf(file);
    if (problem) control.setError(name, { type: 'file', message: problem });
    else field.onChange(await dataUrlOf(file));
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">Logo</legend>
      <div className="flex flex-wrap items-center gap-3">
        {source !== '' && (
          <img src={source} alt="Logo" className="size-12 rounded-lg border border-line bg-surface object-contain" />
        )}
        <input
          ref={input}
          type="file"
          accept={TYPES.join()}
          hidden
          onChange={({ target }) => {
            void choose(target.files?.[0]);
            // Choosing the same file again is another change.
            target.value = '';
          }}
        />
        <Button small aria-describedby={`${id}-hint`} onClick={() => input.current?.click()}>
          {source === '' ? 'Choose a logo' : 'Replace logo'}
        </Button>
        {source !== '' && (
          <Button small look="quiet" onClick={() => field.onChange('')}>
            Remove logo
          </Button>
        )}
      </div>
      <p id={`${id}-hint`} className="text-sm text-muted">
        PNG, JPEG or WebP, at most {formatBytes(LIMITS.logoBytes)}. A square picture fits best.
      </p>
      {fieldState.error && (
        <p role="alert" className="text-sm text-danger">
          {fieldState.error.message}
        </p>
      )}
    </fieldset>
  );
}

function problemOf({ type, size, name }: File): string | undefined {
  if (!TYPES.includes(type)) return `${name} is not a PNG, JPEG or WebP picture.`;
  if (size > LIMITS.logoBytes) {
    return `${name} is ${formatBytes(size)}. The limit is ${formatBytes(LIMITS.logoBytes)}.`;
  }
  return undefined;
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    reader.onload = () => resolve(String(reader.result));
    reader.readAsDataURL(file);
  });
}
