import { useFieldArray } from 'react-hook-form';
import { FormSelect, FormTextArea } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { ClientTools } from './client-tools.tsx';
import { DeadlineFields } from './deadline.tsx';
import { isInvalid, useDraftForm } from './draft-form.ts';
import { type BuiltInTool, NEW_CLIENT_TOOL, type ToolList } from './draft-values.ts';
import { ResourceTools } from './server-tools.tsx';
import { Switch } from './switch.tsx';

/** What the assistant can do in the client: questions, files, and the client's own tools. */
export function Abilities() {
  const { control } = useDraftForm();
  const tools = useFieldArray({ control, name: 'clientTools' });
  return (
    <>
      <Section title="Ask the user">
        <div className="flex flex-col gap-5">
          <Ability
            tools={tools}
            tool="ask_user"
            label="Ask the user questions"
            hint="The assistant shows a form with questions, choices or text fields, and waits for the answers."
          />
          <Ability
            tools={tools}
            tool="upload_document"
            label="Ask for files"
            hint="The assistant asks for documents or pictures, and waits for them."
          />
        </div>
      </Section>
      <ClientTools tools={tools} />
      <ResourceTools />
    </>
  );
}

interface AbilityProps {
  readonly tools: ToolList;
  readonly tool: BuiltInTool;
  readonly label: string;
  readonly hint: string;
}

/** A switch for a client tool of Parley. Its settings return if it is turned off and on before the draft is saved. */
function Ability({ tools: { fields, append, remove }, tool, label, hint }: AbilityProps) {
  const form = useDraftForm();
  const { values, removedTools } = form;
  // The watched values change after the event, which would undo the click for a moment.
  const index = fields.findIndex(({ name }) => name === tool);
  const toggle = (isOn: boolean) => {
    if (isOn) return append(removedTools.get(tool) ?? { ...NEW_CLIENT_TOOL, name: tool }, { shouldFocus: false });
    const current = values.clientTools[index];
    if (current) removedTools.set(tool, current);
    remove(index);
  };
  return (
    <div className="flex flex-col gap-3">
      <Switch label={label} hint={hint} checked={index >= 0} onChange={toggle} />
      {index >= 0 && (
        <details
          open={isInvalid(form, `clientTools.${index}`) || undefined}
          className="ml-12 rounded-lg border border-line"
        >
          <summary className="cursor-pointer rounded-lg px-3 py-2 hover:bg-sunken">Settings of “{label}”</summary>
          <div className="flex flex-col gap-4 border-t border-line p-4">
            <AbilitySettings path={`clientTools.${index}`} />
          </div>
        </details>
      )}
    </div>
  );
}

function AbilitySettings({ path }: { readonly path: `clientTools.${number}` }) {
  const { control } = useDraftForm();
  return (
    <>
      <FormSelect
        control={control}
        name={`${path}.availability`}
        label="Availability"
        hint="The hosted agent page and the widget declare it."
      >
        <option value="WHEN_CONNECTED">When the client declares it</option>
        <option value="ALWAYS">Always</option>
      </FormSelect>
      <FormTextArea
        control={control}
        name={`${path}.description`}
        label="Description"
        hint="Tells the model when to use it. Leave empty for the standard text."
        rows={2}
      />
      <DeadlineFields path={path} />
    </>
  );
}
