import { type Control, useController } from 'react-hook-form';
import type { AccessValues } from './connection-request.ts';

const ENVIRONMENTS = [
  { value: 'LIVE', label: 'Live', hint: 'The data of your real conversations and deployments.' },
  { value: 'TEST', label: 'Test', hint: 'Separate data for trying things out.' },
] as const;

/** The environment whose data the app gets. */
export function EnvironmentChoice({ control }: { readonly control: Control<AccessValues> }) {
  const { field } = useController({ control, name: 'environment' });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm text-muted">Environment</legend>
      {ENVIRONMENTS.map(({ value, label, hint }) => (
        <label key={value} className="flex gap-2.5">
          <input
            type="radio"
            name={field.name}
            checked={field.value === value}
            onChange={() => field.onChange(value)}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span>
            {label}
            <span className="block text-sm text-muted">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
