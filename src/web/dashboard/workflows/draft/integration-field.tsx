import { useId } from 'react';
import { TextField } from '../../../ui/field.tsx';
import { useReading } from '../../requests.ts';
import { useMay } from '../../session/session.ts';
import { INTEGRATION_NAMES } from '../documents.ts';

interface Props {
  readonly kind: 'http' | 'mcp';
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (name: string) => void;
}

/** Names an integration. Those of this environment are suggested; live and test each need one of the name. */
export function IntegrationField({ kind, onChange, ...rest }: Props) {
  const id = useId();
  const { data } = useReading(INTEGRATION_NAMES, {}, { pause: !useMay('integrations:manage') });
  const names = data?.integrations.nodes.filter((one) => one.kind === kind).map(({ name }) => name) ?? [];
  return (
    <>
      <TextField {...rest} list={id} onChange={(event) => onChange(event.target.value)} />
      <datalist id={id}>
        {[...new Set(names)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
