import { Checkbox } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useChange } from '../../requests.ts';
import { Section } from '../../shell/page-frame.tsx';
import type { WorkflowData } from '../data.ts';
import { SET_TRIGGER_REQUIRED } from '../documents.ts';

/** No part of the draft: it holds for all deployments from the next request on. */
export function TriggerSwitch({ workflowId, triggerRequired }: WorkflowData) {
  const { make, busy, fault } = useChange(SET_TRIGGER_REQUIRED);
  return (
    <Section title="How conversations start">
      <Checkbox
        label="Only from a trigger"
        hint="Holds for all deployments at once, without publishing. Conversations that have begun go on."
        checked={triggerRequired}
        disabled={busy}
        onChange={(event) => void make({ workflowId, input: { triggerRequired: event.target.checked } })}
      />
      {fault && <Notice tone="danger">{fault.message}</Notice>}
    </Section>
  );
}
