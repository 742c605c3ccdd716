import { useState } from 'react';
import * as z from 'zod/mini';
import { workflowName } from '../../../../shapes/names.ts';
import { CREATE_DEPLOYMENT } from '../../deployments/documents.ts';
import { FormCheckbox, FormSelect, FormTextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form.tsx';
import { requiredText } from '../../forms/rules.ts';
import { useMutationForm } from '../../forms/use-mutation-form.ts';
import { useGo } from '../../location.ts';
import { useSend } from '../../requests.ts';
import { PUBLISH } from '../documents.ts';
import type { WorkflowData } from '../draft/draft-values.ts';

const schema = z.object({
  name: requiredText('a name', workflowName.most),
  kind: z.enum(['CHAT', 'AGENT']),
  hostedPage: z.boolean(),
  isPublic: z.boolean(),
});

interface Props {
  readonly workflow: WorkflowData;
  /** The revision of the draft that the user sees. */
  readonly revision: number;
  readonly onClose: () => void;
}

/** Creates the first deployment and publishes the draft to it, then opens its page with the code to embed it. */
export function FirstDeployment({ workflow: { workflowId, name, draft }, revision, onClose }: Props) {
  const go = useGo();
  const publish = useSend(PUBLISH);
  const [isPublishing, setPublishing] = useState(false);
  const form = useMutationForm({
    schema,
    defaultValues: {
      name,
      kind: (draft.clientTools.length > 0 ? 'AGENT' : 'CHAT') as 'AGENT' | 'CHAT',
      hostedPage: true,
      isPublic: false,
    },
    mutation: CREATE_DEPLOYMENT,
    variables: ({ isPublic, ...input }) => ({
      input: { workflowId: String(workflowId), ...input, authRequired: !isPublic },
    }),
    async onSuccess({ deployment: { deploymentId } }) {
      setPublishing(true);
      // If the draft has changed meanwhile, the page of the deployment offers to publish it.
      await publish({ workflowId: String(workflowId), deploymentIds: [deploymentId], ifRevision: revision });
      go(`/deployments/${deploymentId}`);
    },
  });
  const { control } = form;
  return (
    <FormDialog
      title="New deployment"
      verb="Create and publish"
      form={{ ...form, busy: form.busy || isPublishing }}
      onClose={onClose}
    >
      <FormTextField control={control} name="name" label="Name" hint="Users see it on the hosted page." required />
      <FormSelect control={control} name="kind" label="Type" hint="You cannot change the type later.">
        <option value="CHAT">Chat: plain conversations</option>
        <option value="AGENT">Agent: can ask questions and run client tools</option>
      </FormSelect>
      <FormCheckbox
        control={control}
        name="hostedPage"
        label="Hosted page"
        hint="Serves a page at its link and for the widget."
      />
      <FormCheckbox
        control={control}
        name="isPublic"
        label="Allow every site to embed it"
        hint="Anyone can start conversations without credentials, within the rate limits. You can restrict the sites later."
      />
    </FormDialog>
  );
}
