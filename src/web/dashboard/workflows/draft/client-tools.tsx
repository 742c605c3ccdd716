import { FormJsonField, FormSelect, FormTextArea, FormTextField } from '../../forms/fields.tsx';
import { DeadlineFields } from './deadline.tsx';
import { useDraftForm } from './draft-form.ts';
import { BUILT_IN_TOOLS, NEW_CLIENT_TOOL, type ToolList } from './draft-values.ts';
import { ItemList } from './item-list.tsx';

/** Switches show these. A tool that is renamed stays in the list until the section opens again. */
const BUILT_INS: ReadonlySet<string> = new Set(BUILT_IN_TOOLS);

export function ClientTools({ tools: { fields, append, remove } }: { readonly tools: ToolList }) {
  return (
    <ItemList
      title="Client tools"
      isShown={(index) => !BUILT_INS.has(fields[index]?.name ?? '')}
      lead="They run in the user's browser or app. The conversation pauses until the client sends the output."
      noun="tool"
      name="clientTools"
      fields={fields}
      onAdd={() => append(NEW_CLIENT_TOOL)}
      onRemove={remove}
    >
      {(index) => <ClientToolFields path={`clientTools.${index}`} />}
    </ItemList>
  );
}

function ClientToolFields({ path }: { readonly path: `clientTools.${number}` }) {
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
        <FormSelect control={control} name={`${path}.availability`} label="Availability">
          <option value="WHEN_CONNECTED">When the client declares it</option>
          <option value="ALWAYS">Always</option>
        </FormSelect>
      </div>
      <FormTextArea
        control={control}
        name={`${path}.description`}
        label="Description"
        hint="Tells the model when to use the tool."
        rows={2}
      />
      <FormJsonField
        control={control}
        name={`${path}.inputSchema`}
        label="Arguments"
        hint="A JSON Schema of type object. Leave empty to allow any object."
        placeholder='{ "type": "object", "properties": {} }'
      />
      <DeadlineFields path={path} />
    </>
  );
}
