import { Checkbox } from '../../../ui/field.tsx';
import { ErrorNotice } from '../../frame/loaded.tsx';
import { Section } from '../../frame/page-frame.tsx';
import { useServiceMutation } from '../../requests.ts';
import { SET_TRIGGER_REQUIRED } from '../documents.ts';
import type { WorkflowData } from './draft-values.ts';

/** Not a part of the draft: it takes effect for all deployments with the next request. */
export function TriggerSwitch({ workflowId, triggerRequired }: WorkflowData) {
  const { mutate, busy, error } = useServiceMutation(SET_TRIGGER_REQUIRED);
  return (
    <Section title="Start of conversations">
      <Checkbox
        label="Require a trigger"
        hint="Takes effect immediately for all deployments, without publishing. Existing conversations continue."
        checked={triggerRequired}
        disabled={busy}
        onChange={(event) =>
          void mutate({ input: { workflowId: String(workflowId), triggerRequired: event.target.checked } })
        }
      />
      <ErrorNotice error={error} />
    </Section>
  );
}
