import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormCheckbox, FormSelect, FormTextArea, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { Pairs } from '../forms/pairs.tsx';
import { addProblem, converted, optionalText, pairs, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import type { PayloadOf } from '../requests.ts';
import { CREATE_TRIGGER } from './documents.ts';

interface Deployment {
  readonly deploymentId: string;
  readonly name: string;
  readonly kind: 'CHAT' | 'AGENT';
}

type Trigger = PayloadOf<ResultOf<typeof CREATE_TRIGGER>>['trigger'];

interface Props {
  /** The published deployments. Other deployments cannot have triggers. */
  readonly deployments: readonly Deployment[];
  /** The deployment that is selected at first, or ''. */
  readonly deploymentId: string;
  readonly onClose: () => void;
}

/** Creates a trigger, then shows its link. */
export function CreateTrigger({ deployments, deploymentId, onClose }: Props) {
  const [link, setLink] = useState<string>();
  const linkOf = ({ deploymentId: id, chatUrl, agentUrl }: Trigger) =>
    deployments.find((one) => one.deploymentId === id)?.kind === 'AGENT' ? agentUrl : chatUrl;
  if (link) return <TriggerLink link={link} onClose={onClose} />;
  if (deployments.length === 0) {
    return (
      <Dialog title="New trigger" onClose={onClose}>
        <p>Publish a deployment first. A trigger starts a conversation of a published deployment.</p>
      </Dialog>
    );
  }
  return <TriggerForm {...{ deployments, deploymentId, onClose }} onCreated={(trigger) => setLink(linkOf(trigger))} />;
}

function TriggerLink({ link, onClose }: { readonly link: string; readonly onClose: () => void }) {
  return (
    <Dialog title="Trigger created" onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>The first person who opens this link starts the conversation.</p>
        <div className="flex flex-wrap items-center gap-2 rounded-lg bg-sunken px-3 py-2">
          <code className="min-w-0 flex-1 basis-48 wrap-anywhere font-mono text-sm">{link}</code>
          <CopyButton text={link} label="Copy link" />
        </div>
        <Button look="primary" className="self-end" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

const schema = converted(
  z.object({
    deploymentId: z.string(),
    text: requiredText('the first message', LIMITS.textLength),
    variables: pairs,
    uiSurface: optionalText(LIMITS.uiSurfaceLength),
    neverExpires: z.boolean(),
    ttlHours: z.string(),
  }),
  ({ ttlHours, neverExpires, ...rest }, context) => {
    if (neverExpires) return { ...rest, ttlHours: null };
    const hours = Number(ttlHours);
    if (!Number.isInteger(hours) || hours < 1 || hours > LIMITS.ttlHours) {
      addProblem(context, `Enter a whole number from 1 to ${LIMITS.ttlHours.toLocaleString('en')}.`, 'ttlHours');
    }
    return { ...rest, ttlHours: hours };
  },
);

/** Rows without a name are not sent. */
const isNamed = ({ name }: { readonly name: string }) => name !== '';

/** The service names the message by its place in the content, and a variable by its place among those that were sent. */
function mapField(path: string, { variables }: z.input<typeof schema>): string {
  if (path.startsWith('content')) return 'text';
  const [, sent, field] = /^variables\.(\d+)\.(\w+)$/.exec(path) ?? [];
  const row = sent === undefined ? undefined : variables.filter(isNamed)[Number(sent)];
  return row ? `variables.${variables.indexOf(row)}.${field}` : path;
}

interface FormProps extends Props {
  readonly onCreated: (trigger: Trigger) => void;
}

function TriggerForm({ deployments, deploymentId, onClose, onCreated }: FormProps) {
  const selected = deployments.find((one) => one.deploymentId === deploymentId) ?? deployments[0];
  const form = useMutationForm({
    schema,
    defaultValues: {
      deploymentId: selected?.deploymentId ?? '',
      text: '',
      variables: [] as z.input<typeof pairs>,
      uiSurface: '',
      neverExpires: false,
      ttlHours: String(LIMITS.defaultTtlHours),
    },
    mutation: CREATE_TRIGGER,
    variables: ({ deploymentId: id, text, variables, uiSurface, ttlHours }) => ({
      input: {
        deploymentId: id,
        content: [{ text }],
        ttlHours,
        variables: variables.filter(isNamed),
        ...(uiSurface && { uiSurface }),
      },
    }),
    onSuccess: ({ trigger }) => onCreated(trigger),
    mapField,
  });
  const { control } = form;
  const neverExpires = useWatch({ control, name: 'neverExpires' });
  return (
    <FormDialog title="New trigger" verb="Create trigger" {...{ form, onClose }}>
      <FormSelect control={control} name="deploymentId" label="Deployment">
        {deployments.map((one) => (
          <option key={one.deploymentId} value={one.deploymentId}>
            {one.name}
          </option>
        ))}
      </FormSelect>
      <FormTextArea
        control={control}
        name="text"
        label="First message"
        hint="The conversation starts with this message from the user."
        required
      />
      <Pairs
        control={control}
        name="variables"
        title="Variables"
        hint="They replace {{NAME}} in the instructions."
        noun="Variable"
      />
      <FormTextField
        control={control}
        name="uiSurface"
        label="Surface"
        hint="Optional. Tells your client where to show the conversation, like chat or assessment."
      />
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <FormTextField
          control={control}
          name="ttlHours"
          label="Expires after (hours)"
          inputMode="numeric"
          required={!neverExpires}
          disabled={neverExpires}
        />
        <div className="pb-2">
          <FormCheckbox control={control} name="neverExpires" label="Never expires" />
        </div>
      </div>
    </FormDialog>
  );
}
