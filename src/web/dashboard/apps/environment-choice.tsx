import { type Control, useController } from 'react-hook-form';
import { RadioOptions } from '../forms/radio-options.tsx';
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
      <RadioOptions name={field.name} value={field.value} onChange={field.onChange} options={ENVIRONMENTS} />
    </fieldset>
  );
}
