import { useFieldArray, useWatch } from 'react-hook-form';
import { Button } from '../../../ui/button.tsx';
import { FormJsonField, FormSelect, FormTextField } from '../../forms/fields.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { ApprovalBadge } from './approval-badge.tsx';
import { NEW_TOOL_APPROVAL } from './approval-values.ts';
import { DeadlineFields } from './deadline.tsx';
import { useDraftForm } from './draft-form.ts';
import { ItemList } from './item-list.tsx';
import { useSection } from './sections.ts';

interface Props {
  readonly path: `httpActions.${number}.approval` | `mcpServers.${number}.approval` | `toolApprovals.${number}`;
}

/** Which calls wait for an approval, and whose. */
export function ApprovalFields({ path }: Props) {
  const { control } = useDraftForm();
  const mode = useWatch({ control, name: `${path}.mode` });
  const approver = useWatch({ control, name: `${path}.approver` });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormSelect control={control} name={`${path}.mode`} label="Calls that need an approval">
          <option value="NEVER">No call</option>
          <option value="ALWAYS">Every call</option>
          <option value="WHEN">Calls with certain arguments</option>
        </FormSelect>
        {mode !== 'NEVER' && (
          <FormSelect control={control} name={`${path}.approver`} label="Who approves">
            <option value="MEMBER">A member of the workspace</option>
            <option value="CLIENT">The client of the conversation</option>
            <option value="EITHER">The client or a member</option>
          </FormSelect>
        )}
        {mode !== 'NEVER' && approver !== 'MEMBER' && (
          <FormSelect control={control} name={`${path}.anonymous`} label="Visitors without credentials can approve">
            <option value="OPEN">Not decided (a public deployment needs it)</option>
            <option value="NO">No</option>
            <option value="YES">Yes, also calls that they have caused</option>
          </FormSelect>
        )}
      </div>
      {mode === 'WHEN' && (
        <FormJsonField
          control={control}
          name={`${path}.when`}
          label="Arguments that need an approval"
          hint="A JSON Schema. Calls whose arguments match it wait."
          placeholder='{ "properties": { "amount": { "minimum": 100 } } }'
        />
      )}
      {mode !== 'NEVER' && <DeadlineFields path={path} />}
    </>
  );
}

/** What waits for an approval, and the rules for single tools. */
export function Approvals() {
  return (
    <>
      <WaitingCalls />
      <ToolApprovals />
    </>
  );
}

/** Everything of the draft whose calls wait, with a link to the place where that is set. */
function WaitingCalls() {
  const { httpActions, mcpServers, toolApprovals } = useDraftForm().values;
  const [, setSection] = useSection();
  const waiting = [
    ...httpActions.map(({ name, approval }) => ({ name, kind: 'HTTP action', ...approval })),
    ...mcpServers.map(({ name, approval }) => ({ name, kind: 'MCP server', ...approval })),
    ...toolApprovals.map((rule) => ({ ...rule, kind: 'Tool' })),
  ].filter(({ mode }) => mode !== 'NEVER');
  return (
    <Section
      title="What needs an approval"
      actions={
        <Button small onClick={() => setSection('actions')}>
          Go to the actions
        </Button>
      }
    >
      {waiting.length === 0 ? (
        <p className="text-muted">
          No call waits for an approval. Set it at an action or a server, or add a rule for a single tool below.
        </p>
      ) : (
        <ul aria-label="What needs an approval" className="flex flex-col divide-y divide-line">
          {waiting.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names can repeat while they are edited
            <li key={index} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <span className="text-sm text-muted">{one.kind}</span>
              <span className="min-w-0 font-mono text-sm wrap-anywhere">{one.name || 'without a name'}</span>
              <ApprovalBadge {...one} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Rules for single tools of MCP servers, and for resource tools. */
function ToolApprovals() {
  const { control } = useDraftForm();
  const { fields, append, remove } = useFieldArray({ control, name: 'toolApprovals' });
  return (
    <ItemList
      title="Approvals of single tools"
      lead="For tools of MCP servers and resource tools. They take precedence over the approval of a server."
      noun="rule"
      name="toolApprovals"
      fields={fields}
      onAdd={() => append(NEW_TOOL_APPROVAL)}
      onRemove={remove}
      summary={(index) => <RuleSummary index={index} />}
    >
      {(index) => (
        <>
          <FormTextField
            control={control}
            name={`toolApprovals.${index}.name`}
            label="Tool"
            hint="Like update_resource. Of an MCP server: its name, _, and its own name of the tool, like crm_issues.search."
            required
          />
          <ApprovalFields path={`toolApprovals.${index}`} />
        </>
      )}
    </ItemList>
  );
}

function RuleSummary({ index }: { readonly index: number }) {
  const rule = useDraftForm().values.toolApprovals[index];
  return rule ? <ApprovalBadge {...rule} /> : null;
}
