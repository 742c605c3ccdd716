import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { useGo } from '../location.ts';
import { useChange } from '../requests.ts';
import { FormDialog } from '../shell/form-dialog.tsx';
import {
  DELETE_ENDPOINT,
  DISABLE_ENDPOINT,
  ENABLE_ENDPOINT,
  type ENDPOINT,
  ROTATE_SECRET,
  UPDATE_ENDPOINT,
} from './documents.ts';
import { ENDPOINT_FIELDS, type EndpointDraft, EndpointFields, inputOf, isWhole } from './endpoint-form.tsx';

export type Endpoint = NonNullable<ResultOf<typeof ENDPOINT>['webhookEndpoint']>;

interface Props {
  readonly endpoint: Endpoint;
  readonly onClose: () => void;
}

export function EditDialog({ endpoint, onClose }: Props) {
  const { endpointId, url, description, eventTypes } = endpoint;
  const [draft, setDraft] = useState<EndpointDraft>({ url, description, eventTypes });
  const { make, busy, fault } = useChange(UPDATE_ENDPOINT);
  const submit = async () => {
    if (isWhole(draft) && (await make({ id: endpointId, input: inputOf(draft) }))) onClose();
  };
  return (
    <FormDialog
      title="Edit the endpoint"
      verb="Save"
      shownAt={ENDPOINT_FIELDS}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <EndpointFields draft={draft} fault={fault} onChange={setDraft} />
      <p className="text-sm text-muted">What is queued goes to the new URL too.</p>
    </FormDialog>
  );
}

export function SwitchDialog({ endpoint: { endpointId, enabled }, onClose }: Props) {
  const [enable, disable] = [useChange(ENABLE_ENDPOINT), useChange(DISABLE_ENDPOINT)];
  const { make, busy, fault } = enabled ? disable : enable;
  const submit = async () => {
    if (await make({ id: endpointId })) onClose();
  };
  return (
    <FormDialog
      title={enabled ? 'Disable the endpoint?' : 'Enable the endpoint?'}
      verb={enabled ? 'Disable' : 'Enable'}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <p>
        {enabled
          ? 'Nothing is sent until it is enabled. What is queued waits; what happens meanwhile is never sent to it.'
          : 'It is sent what is queued, and what happens from now on. What happened while it was disabled is not sent.'}
      </p>
    </FormDialog>
  );
}

export function RotateDialog({ endpoint, onShow, onClose }: Props & { readonly onShow: (secret: string) => void }) {
  const { make, busy, fault } = useChange(ROTATE_SECRET);
  const submit = async () => {
    const data = await make({ id: endpoint.endpointId });
    if (data) onShow(data.rotateWebhookSecret.secret);
  };
  return (
    <FormDialog title="Rotate the signing secret?" verb="Rotate" onSubmit={submit} {...{ busy, fault, onClose }}>
      <p>The endpoint gets a new signing secret, which is shown once.</p>
      <Notice>
        For 24 hours messages are signed with the old one as well, so that nothing is refused while you change it at
        your server.
      </Notice>
    </FormDialog>
  );
}

export function DeleteDialog({ endpoint: { endpointId, url }, onClose }: Props) {
  const go = useGo();
  const { make, busy, fault } = useChange(DELETE_ENDPOINT);
  const submit = async () => {
    if (await make({ id: endpointId })) go('/webhooks');
  };
  return (
    <FormDialog
      title="Delete the endpoint?"
      verb="Delete for ever"
      look="danger"
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <p>
        <span className="break-all font-mono text-sm">{url}</span> is sent nothing any more: what is queued for it goes,
        and so do its secret and the record of its deliveries.
      </p>
    </FormDialog>
  );
}
