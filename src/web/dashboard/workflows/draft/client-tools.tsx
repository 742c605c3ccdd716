import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { JsonField } from '../../build/json-field.tsx';
import { useEditing } from './context.ts';
import { type ClientToolForm, newClientTool } from './form.ts';
import { ItemList } from './item-list.tsx';

export function ClientTools() {
  const { form, change } = useEditing();
  return (
    <ItemList
      title="Client tools"
      lead="They run in your user's browser or app. The conversation pauses until the client answers."
      noun="tool"
      path="clientTools"
      items={form.clientTools}
      onChange={(clientTools) => change({ clientTools })}
      make={newClientTool}
    >
      {(tool, onChange, path) => <ClientToolFields {...{ tool, onChange, path }} />}
    </ItemList>
  );
}

interface FieldsProps {
  readonly tool: ClientToolForm;
  readonly onChange: (fields: Partial<ClientToolForm>) => void;
  readonly path: string;
}

function ClientToolFields({ tool, onChange, path }: FieldsProps) {
  const { errorAt } = useEditing();
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="Letters, digits, _ or -, beginning with a letter."
          value={tool.name}
          error={errorAt(`${path}.name`)}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <SelectField
          label="Availability"
          value={tool.availability}
          error={errorAt(`${path}.availability`)}
          onChange={(event) =>
            onChange({ availability: event.target.value === 'always' ? 'always' : 'when_connected' })
          }
        >
          <option value="when_connected">When the client says that it has it</option>
          <option value="always">Always</option>
        </SelectField>
      </div>
      <TextArea
        label="Description"
        hint="What the model is told of it."
        rows={2}
        value={tool.description}
        error={errorAt(`${path}.description`)}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <JsonField
        label="Arguments"
        hint="JSON Schema of type object. Empty: any object."
        placeholder='{ "type": "object", "properties": {} }'
        value={tool.inputSchema}
        error={errorAt(`${path}.inputSchema`)}
        onChange={(inputSchema) => onChange({ inputSchema })}
      />
    </>
  );
}
