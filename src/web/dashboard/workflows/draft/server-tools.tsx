import { useController, useFieldArray } from 'react-hook-form';
import { LIMITS } from '../../../../contract/limits.ts';
import { Checkbox } from '../../../ui/field.tsx';
import { countOf } from '../../../ui/numbers.ts';
import { FormCheckbox, FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { ApprovalBadge } from './approval-badge.tsx';
import { ApprovalFields } from './approvals.tsx';
import { useDraftForm } from './draft-form.ts';
import { NEW_MCP_SERVER, type ResourceToolName } from './draft-values.ts';
import { IntegrationField } from './integration-field.tsx';
import { ItemList } from './item-list.tsx';

export function McpServers() {
  const { control } = useDraftForm();
  const { fields, append, remove } = useFieldArray({ control, name: 'mcpServers' });
  return (
    <ItemList
      title="MCP servers"
      lead="Servers with tools that the model can call."
      noun="server"
      name="mcpServers"
      fields={fields}
      onAdd={() => append(NEW_MCP_SERVER)}
      onRemove={remove}
      summary={(index) => <ServerSummary index={index} />}
    >
      {(index) => <McpServerFields path={`mcpServers.${index}`} />}
    </ItemList>
  );
}

/** Its integration, its tools, and which of its calls wait for an approval. */
function ServerSummary({ index }: { readonly index: number }) {
  const server = useDraftForm().values.mcpServers[index];
  if (!server) return null;
  const { integration, tools, approval } = server;
  const count = tools.split('\n').filter((tool) => tool.trim() !== '').length;
  return (
    <>
      <span className="min-w-0 text-sm text-muted wrap-anywhere">
        {[integration, count === 0 ? 'all tools' : countOf(count, 'tool')].filter(Boolean).join(' · ')}
      </span>
      <ApprovalBadge {...approval} />
    </>
  );
}

function McpServerFields({ path }: { readonly path: `mcpServers.${number}` }) {
  const { control } = useDraftForm();
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormTextField
          control={control}
          name={`${path}.name`}
          label="Name"
          hint="The prefix of the names of its tools."
          required
        />
        <FormTextField
          control={control}
          name={`${path}.timeoutSeconds`}
          label="Timeout in seconds"
          inputMode="numeric"
          placeholder={String(LIMITS.defaultActionSeconds)}
          hint={`1 to ${LIMITS.actionSeconds}.`}
        />
      </div>
      <IntegrationField kind="MCP" path={path} hint="The integration with the URL and headers of the server." />
      <FormTextArea
        control={control}
        name={`${path}.tools`}
        label="Tools"
        mono
        rows={3}
        hint="The tools to offer, by the server's own names, one per line. Leave empty for all tools."
      />
      <ApprovalFields path={`${path}.approval`} />
      <FormCheckbox
        control={control}
        name={`${path}.retrySafe`}
        label="Safe to repeat"
        hint="A call can be repeated if its process dies before its outcome is stored."
      />
    </>
  );
}

const RESOURCE_TOOLS: readonly { readonly name: ResourceToolName; readonly label: string; readonly hint: string }[] = [
  { name: 'FIND_RESOURCES', label: 'Find', hint: 'Lists resources of a type, or those with a value in a field.' },
  { name: 'READ_RESOURCE', label: 'Read', hint: 'Reads one resource by its ID.' },
  { name: 'CREATE_RESOURCE', label: 'Create', hint: 'Creates a resource.' },
  { name: 'UPDATE_RESOURCE', label: 'Update', hint: 'Changes fields of a resource.' },
];

export function ResourceTools() {
  const { control } = useDraftForm();
  const { field, fieldState } = useController({ control, name: 'resourceTools' });
  const toggle = (tool: ResourceToolName, isOn: boolean) =>
    field.onChange([...field.value.filter((one) => one !== tool), ...(isOn ? [tool] : [])]);
  return (
    <Section title="Resource tools">
      <p className="mb-4 text-sm text-muted">What the model can do with the resources of its environment.</p>
      {fieldState.error && <p className="mb-4 text-sm text-danger">{fieldState.error.message}</p>}
      <div className="grid gap-4 sm:grid-cols-2">
        {RESOURCE_TOOLS.map(({ name, label, hint }) => (
          <Checkbox
            key={name}
            label={label}
            hint={hint}
            checked={field.value.includes(name)}
            onChange={(event) => toggle(name, event.target.checked)}
          />
        ))}
      </div>
    </Section>
  );
}
