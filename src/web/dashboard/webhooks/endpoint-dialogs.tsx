import type { ResultOf } from 'gql.tada';
import { LIMITS } from '../../../contract/limits.ts';
import { Notice } from '../../ui/notice.tsx';
import { FormDialog } from '../forms/form.tsx';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useGo } from '../location.ts';
import { useServiceMutation } from '../requests.ts';
import {
  CREATE_ENDPOINT,
  DELETE_ENDPOINT,
  DISABLE_ENDPOINT,
  ENABLE_ENDPOINT,
  type ENDPOINT,
  ROTATE_SECRET,
  UPDATE_ENDPOINT,
} from './documents.ts';
import { EndpointFields, endpointSchema } from './endpoint-form.tsx';

export type Endpoint = NonNullable<ResultOf<typeof ENDPOINT>['webhookEndpoint']>;

/** A new endpoint and its signing secret. */
export interface NewEndpoint {
  readonly endpointId: string;
  readonly secret: string;
}

interface CreateProps {
  readonly onCreated: (endpoint: NewEndpoint) => void;
  readonly onClose: () => void;
}

export function CreateDialog({ onCreated, onClose }: CreateProps) {
  const form = useMutationForm({
    schema: endpointSchema,
    defaultValues: { url: '', description: '', eventTypes: null as Endpoint['eventTypes'] },
    mutation: CREATE_ENDPOINT,
    variables: (input) => ({ input }),
    onSuccess: ({ endpoint, secret }) => onCreated({ endpointId: endpoint.endpointId, secret }),
  });
  return (
    <FormDialog title="Add an endpoint" verb="Add" {...{ form, onClose }}>
      <EndpointFields control={form.control} />
    </FormDialog>
  );
}

interface Props {
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
}

export function EditDialog({ endpoint, onClose }: Props) {
  const { endpointId, url, description, eventTypes } = endpoint;
  const form = useMutationForm({
    schema: endpointSchema,
    defaultValues: { url, description, eventTypes: eventTypes && [...eventTypes] },
    mutation: UPDATE_ENDPOINT,
    variables: (changes) => ({ input: { id: endpointId, ...changes } }),
    onSuccess: onClose,
  });
  return (
    <FormDialog title="Edit the endpoint" verb="Save" {...{ form, onClose }}>
      <EndpointFields control={form.control} />
      <p className="text-sm text-muted">Queued messages also go to the new URL.</p>
    </FormDialog>
  );
}

export function SwitchDialog({ endpoint: { endpointId, enabled }, onClose }: Props) {
  const [enable, disable] = [useServiceMutation(ENABLE_ENDPOINT), useServiceMutation(DISABLE_ENDPOINT)];
  const { mutate, busy, error } = enabled ? disable : enable;
  const confirm = async () => {
    if (await mutate({ id: endpointId })) onClose();
  };
  return (
    <ConfirmDialog
      title={enabled ? 'Disable the endpoint?' : 'Enable the endpoint?'}
      verb={enabled ? 'Disable' : 'Enable'}
      look="primary"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>
        {enabled
          ? 'Queued messages wait until you enable the endpoint again. Events that happen while it is disabled are never sent to it.'
          : 'Queued messages and new events are sent from now on. Events that happened while it was disabled are not sent.'}
      </p>
    </ConfirmDialog>
  );
}

export function RotateDialog({ endpoint, onSecret, onClose }: Props & { readonly onSecret: (secret: string) => void }) {
  const { mutate, busy, error } = useServiceMutation(ROTATE_SECRET);
  const confirm = async () => {
    const data = await mutate({ id: endpoint.endpointId });
    if (data) onSecret(data.secret);
  };
  return (
    <ConfirmDialog
      title="Rotate the signing secret?"
      verb="Rotate"
      look="primary"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>The endpoint gets a new signing secret, which is shown once.</p>
      <Notice>
        For {LIMITS.webhookSecretHours} hours messages are signed with both secrets, so you can update your server
        without losing any.
      </Notice>
    </ConfirmDialog>
  );
}

export function DeleteDialog({ endpoint: { endpointId, url }, onClose }: Props) {
  const go = useGo();
  const { mutate, busy, error } = useServiceMutation(DELETE_ENDPOINT);
  const confirm = async () => {
    if (await mutate({ id: endpointId })) go('/webhooks');
  };
  return (
    <ConfirmDialog
      title="Delete the endpoint?"
      verb="Delete permanently"
      onConfirm={confirm}
      {...{ busy, error, onClose }}
    >
      <p>
        <span className="wrap-anywhere font-mono text-sm">{url}</span> receives no more messages. Its queued messages,
        its secret and its delivery history are deleted.
      </p>
    </ConfirmDialog>
  );
}
