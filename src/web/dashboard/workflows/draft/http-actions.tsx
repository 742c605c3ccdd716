import { useFieldArray, useWatch } from 'react-hook-form';
import { LIMITS } from '../../../../contract/limits.ts';
import { FormCheckbox, FormJsonField, FormSelect, FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { Pairs } from '../../forms/pairs.tsx';
import { ApprovalBadge } from './approval-badge.tsx';
import { ApprovalFields } from './approvals.tsx';
import { useDraftForm } from './draft-form.ts';
import { NEW_HTTP_ACTION } from './draft-values.ts';
import { IntegrationField } from './integration-field.tsx';
import { ItemList } from './item-list.tsx';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function HttpActions() {
  const { control } = useDraftForm();
  const { fields, append, remove } = useFieldArray({ control, name: 'httpActions' });
  return (
    <ItemList
      title="HTTP actions"
      lead="HTTP requests that the server sends when the model calls them."
      noun="action"
      name="httpActions"
      fields={fields}
      onAdd={() => append(NEW_HTTP_ACTION)}
      onRemove={remove}
      summary={(index) => <ActionSummary index={index} />}
    >
      {(index) => <HttpActionFields path={`httpActions.${index}`} />}
    </ItemList>
  );
}

/** Its request, and which of its calls wait for an approval. */
function ActionSummary({ index }: { readonly index: number }) {
  const action = useDraftForm().values.httpActions[index];
  if (!action) return null;
  const { method, url, integration, approval } = action;
  return (
    <>
      <span className="min-w-0 font-mono text-sm text-muted wrap-anywhere">
        {`${method} ${url}`}
        {integration && ` (${integration})`}
      </span>
      <ApprovalBadge {...approval} />
    </>
  );
}

interface FieldsProps {
  readonly path: `httpActions.${number}`;
}

function HttpActionFields({ path }: FieldsProps) {
  const { control } = useDraftForm();
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormTextField
          control={control}
          name={`${path}.name`}
          label="Name"
          hint="Letters, digits, _ or -, starting with a letter."
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
      <FormTextArea
        control={control}
        name={`${path}.description`}
        label="Description"
        hint="Tells the model when to use the action."
        rows={2}
      />
      <RequestFields path={path} />
      <FormCheckbox
        control={control}
        name={`${path}.retrySafe`}
        label="Safe to repeat"
        hint="A request can be repeated if its process dies before its outcome is stored."
      />
      <FormJsonField
        control={control}
        name={`${path}.inputSchema`}
        label="Arguments"
        hint="A JSON Schema of type object. Leave empty if the action has no arguments."
        placeholder='{ "type": "object", "properties": { "order_id": { "type": "string" } }, "required": ["order_id"] }'
      />
      <ApprovalFields path={`${path}.approval`} />
    </>
  );
}

function RequestFields({ path }: FieldsProps) {
  const { control } = useDraftForm();
  const integration = useWatch({ control, name: `${path}.integration` });
  return (
    <>
      <IntegrationField
        kind="HTTP"
        path={path}
        hint="Adds its URL before the path, and its headers to the request. Leave empty to enter a full URL."
      />
      <div className="grid gap-4 sm:grid-cols-[8rem_1fr]">
        <FormSelect control={control} name={`${path}.method`} label="Method">
          {METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </FormSelect>
        <FormTextField
          control={control}
          name={`${path}.url`}
          label="URL"
          placeholder={integration ? '/orders/{order_id}' : 'https://api.example.com/orders/{order_id}'}
          hint="{name} is replaced by a required argument of the schema below."
          required
        />
      </div>
      <Pairs
        control={control}
        name={`${path}.headers`}
        title="Headers"
        hint="Visible to everyone who can see this workflow. Put secrets in an integration."
        noun="Header"
      />
    </>
  );
}
