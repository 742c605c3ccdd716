import { Checkbox, TextArea, TextField } from '../../../ui/field.tsx';
import { Section } from '../../shell/page-frame.tsx';
import { useEditing } from './context.ts';
import { type McpServerForm, newMcpServer, type ResourceToolName } from './form.ts';
import { IntegrationField } from './integration-field.tsx';
import { ItemList } from './item-list.tsx';

export function McpServers() {
  const { form, change } = useEditing();
  return (
    <ItemList
      title="MCP servers"
      lead="Servers whose tools the model may call."
      noun="server"
      path="mcpServers"
      items={form.mcpServers}
      onChange={(mcpServers) => change({ mcpServers })}
      make={newMcpServer}
    >
      {(server, onChange, path) => <McpServerFields {...{ server, onChange, path }} />}
    </ItemList>
  );
}

interface FieldsProps {
  readonly server: McpServerForm;
  readonly onChange: (fields: Partial<McpServerForm>) => void;
  readonly path: string;
}

function McpServerFields({ server, onChange, path }: FieldsProps) {
  const { errorAt, fault } = useEditing();
  // A fault of one of the names is told at the field that holds them all.
  const ofTools = fault?.param?.includes(`${path}.tools`) ? fault.message : undefined;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="The names of its tools begin with it."
          value={server.name}
          error={errorAt(`${path}.name`)}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <TextField
          label="Timeout in seconds"
          inputMode="numeric"
          placeholder="15"
          hint="1 to 60."
          value={server.timeoutSeconds}
          error={errorAt(`${path}.timeoutSeconds`)}
          onChange={(event) => onChange({ timeoutSeconds: event.target.value })}
        />
      </div>
      <IntegrationField
        kind="mcp"
        label="Integration"
        hint="Says where the server is, and how it is asked."
        value={server.integration}
        error={errorAt(`${path}.integration`)}
        onChange={(integration) => onChange({ integration })}
      />
      <TextArea
        label="Tools"
        mono
        rows={3}
        hint="The server's own names of those to offer, one a line. Empty: all."
        value={server.tools}
        error={ofTools}
        onChange={(event) => onChange({ tools: event.target.value })}
      />
    </>
  );
}

const RESOURCE_TOOLS: readonly { readonly name: ResourceToolName; readonly label: string; readonly hint: string }[] = [
  { name: 'find_resources', label: 'Find', hint: 'Lists resources of a type, or those with a value in a field.' },
  { name: 'read_resource', label: 'Read', hint: 'Reads one resource by its id.' },
  { name: 'create_resource', label: 'Create', hint: 'Makes a resource.' },
  { name: 'update_resource', label: 'Update', hint: 'Changes fields of a resource.' },
];

export function ResourceTools() {
  const { form, change, fault } = useEditing();
  const toggle = (tool: ResourceToolName, isOn: boolean) =>
    change({ resourceTools: [...form.resourceTools.filter((one) => one !== tool), ...(isOn ? [tool] : [])] });
  return (
    <Section title="Resource tools">
      <p className="mb-4 text-sm text-muted">What the model may do with the resources of the environment it runs in.</p>
      {fault?.param?.includes('resourceTools') && <p className="mb-4 text-sm text-danger">{fault.message}</p>}
      <div className="grid gap-4 sm:grid-cols-2">
        {RESOURCE_TOOLS.map(({ name, label, hint }) => (
          <Checkbox
            key={name}
            label={label}
            hint={hint}
            checked={form.resourceTools.includes(name)}
            onChange={(event) => toggle(name, event.target.checked)}
          />
        ))}
      </div>
    </Section>
  );
}
