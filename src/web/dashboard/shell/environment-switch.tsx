import { useId } from 'react';
import { useSearchParams } from 'wouter';
import { Select } from '../../ui/select.tsx';
import { useEnvironment } from '../location.ts';

const ENVIRONMENTS = [
  { value: 'live', label: 'Live' },
  { value: 'test', label: 'Test' },
];

/** Shows and switches the environment. */
export function EnvironmentSwitch() {
  const id = useId();
  const environment = useEnvironment();
  const [, setParams] = useSearchParams();
  const look = environment === 'test' ? 'border-transparent bg-test text-on-test' : 'border-line bg-surface';
  return (
    <div className="shrink-0">
      <label htmlFor={id} id={`${id}-label`} className="sr-only">
        Environment
      </label>
      <Select
        id={id}
        labelId={`${id}-label`}
        options={ENVIRONMENTS}
        value={environment}
        onValue={(value) => setParams(value === 'test' ? { env: 'test' } : {})}
        className={`min-h-9 w-22 rounded-lg border px-2.5 py-1 text-sm font-medium ${look}`}
      />
    </div>
  );
}
