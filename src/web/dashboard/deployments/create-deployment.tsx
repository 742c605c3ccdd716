import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { workflowName } from '../../../shapes/names.ts';
import { FormSelect, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { useGo } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { CREATE_DEPLOYMENT, WORKFLOW_NAMES } from './documents.ts';

const schema = z.object({
  workflowId: z.string().check(z.minLength(1, 'Select a workflow.')),
  name: requiredText('a name', workflowName.most),
  kind: z.enum(['CHAT', 'AGENT']),
});

interface Props {
  /** The workflow that is selected at first. */
  readonly workflowId?: string | undefined;
  readonly onClose: () => void;
}

/** Creates a deployment, then opens its page. */
export function CreateDeployment({ workflowId, onClose }: Props) {
  const go = useGo();
  const { data } = useServiceQuery(WORKFLOW_NAMES, {});
  const form = useMutationForm({
    schema,
    defaultValues: { workflowId: workflowId ?? '', name: '', kind: 'CHAT' as 'CHAT' | 'AGENT' },
    mutation: CREATE_DEPLOYMENT,
    variables: (input) => ({ input }),
    onSuccess: ({ deployment }) => go(`/deployments/${deployment.deploymentId}`),
  });
  const { control } = form;
  const kind = useWatch({ control, name: 'kind' });
  const purpose = kind === 'CHAT' ? 'For plain conversations.' : 'For conversations whose client runs tools.';
  return (
    <FormDialog title="New deployment" verb="Create" {...{ form, onClose }}>
      <FormSelect control={control} name="workflowId" label="Workflow" required>
        <option value="">Select a workflow</option>
        {data?.workflows.nodes.map((workflow) => (
          <option key={workflow.workflowId} value={workflow.workflowId}>
            {workflow.name}
          </option>
        ))}
      </FormSelect>
      <FormTextField control={control} name="name" label="Name" hint="Users see it on the hosted page." required />
      <FormSelect control={control} name="kind" label="Type" hint={`${purpose} You cannot change the type later.`}>
        <option value="CHAT">Chat</option>
        <option value="AGENT">Agent</option>
      </FormSelect>
    </FormDialog>
  );
}
