import { useId } from 'react';
import { FormTextField } from '../../forms/fields.tsx';
import { useServiceQuery } from '../../requests.ts';
import { usePermission } from '../../session/session.ts';
import { INTEGRATION_NAMES } from '../documents.ts';
import { useDraftForm } from './draft-form.ts';

interface Props {
  readonly kind: 'HTTP' | 'MCP';
  readonly path: `httpActions.${number}` | `mcpServers.${number}`;
  readonly hint: string;
}

/**
 * The name of an integration. It suggests the integrations of the current environment. Any name is allowed, because the
 * live and the test environment each need an integration with this name.
 */
export function IntegrationField({ kind, path, hint }: Props) {
  const id = useId();
  const { control } = useDraftForm();
  const { data } = useServiceQuery(INTEGRATION_NAMES, {}, { pause: !usePermission('integrations:manage') });
  const names = data?.integrations.nodes.filter((one) => one.kind === kind).map(({ name }) => name) ?? [];
  return (
    <>
      <FormTextField control={control} name={`${path}.integration`} label="Integration" hint={hint} list={id} />
      <datalist id={id}>
        {[...new Set(names)].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
