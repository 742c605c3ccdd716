import { SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { JsonField } from '../../build/json-field.tsx';
import { Pairs } from '../../build/pairs.tsx';
import { useEditing } from './context.ts';
import { type HttpActionForm, newHttpAction } from './form.ts';
import { IntegrationField } from './integration-field.tsx';
import { ItemList } from './item-list.tsx';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function HttpActions() {
  const { form, change } = useEditing();
  return (
    <ItemList
      title="HTTP actions"
      lead="Requests that the server makes when the model calls them."
      noun="action"
      path="httpActions"
      items={form.httpActions}
      onChange={(httpActions) => change({ httpActions })}
      make={newHttpAction}
    >
      {(action, onChange, path) => <HttpActionFields {...{ action, onChange, path }} />}
    </ItemList>
  );
}

interface FieldsProps {
  readonly action: HttpActionForm;
  readonly onChange: (fields: Partial<HttpActionForm>) => void;
  readonly path: string;
}

function HttpActionFields(props: FieldsProps) {
  const { action, onChange, path } = props;
  const { errorAt } = useEditing();
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="Letters, digits, _ or -, beginning with a letter."
          value={action.name}
          error={errorAt(`${path}.name`)}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <TextField
          label="Timeout in seconds"
          inputMode="numeric"
          placeholder="15"
          hint="1 to 60."
          value={action.timeoutSeconds}
          error={errorAt(`${path}.timeoutSeconds`)}
          onChange={(event) => onChange({ timeoutSeconds: event.target.value })}
        />
      </div>
      <TextArea
        label="Description"
        hint="What the model is told of it."
        rows={2}
        value={action.description}
        error={errorAt(`${path}.description`)}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <Request {...props} />
      <JsonField
        label="Arguments"
        hint="JSON Schema of type object. Empty: it takes none."
        placeholder='{ "type": "object", "properties": { "order_id": { "type": "string" } }, "required": ["order_id"] }'
        value={action.inputSchema}
        error={errorAt(`${path}.inputSchema`)}
        onChange={(inputSchema) => onChange({ inputSchema })}
      />
    </>
  );
}

function Request({ action, onChange, path }: FieldsProps) {
  const { errorAt } = useEditing();
  return (
    <>
      <IntegrationField
        kind="http"
        label="Integration"
        hint="Its address stands before the URL, and its headers are sent along. Empty: the URL is whole."
        value={action.integration}
        error={errorAt(`${path}.integration`)}
        onChange={(integration) => onChange({ integration })}
      />
      <div className="grid gap-4 sm:grid-cols-[8rem_1fr]">
        <SelectField
          label="Method"
          value={action.method}
          onChange={(event) => onChange({ method: METHODS.find((one) => one === event.target.value) ?? 'GET' })}
        >
          {METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </SelectField>
        <TextField
          label="URL"
          placeholder={action.integration ? '/orders/{order_id}' : 'https://api.example.com/orders/{order_id}'}
          hint="{name} is filled in from an argument that the schema below requires."
          value={action.url}
          error={errorAt(`${path}.url`)}
          onChange={(event) => onChange({ url: event.target.value })}
        />
      </div>
      <Pairs
        title="Headers"
        hint="Anybody who sees this workflow can read them: secrets belong into an integration."
        noun="Header"
        pairs={action.headers}
        error={errorAt(`${path}.headers`)}
        errorAt={(index, field) => errorAt(`${path}.headers[${index}].${field}`)}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  );
}
