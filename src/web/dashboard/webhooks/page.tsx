import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useEnvironment, useGo, useHref } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useChange, useReading } from '../requests.ts';
import { FormDialog } from '../shell/form-dialog.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { SecretDialog } from '../shell/secret-dialog.tsx';
import { type Column, Table } from '../shell/table.tsx';
import { CREATE_ENDPOINT, ENDPOINTS } from './documents.ts';
import { EMPTY_ENDPOINT, ENDPOINT_FIELDS, EndpointFields, inputOf, isWhole, typesInWords } from './endpoint-form.tsx';

type Endpoint = ResultOf<typeof ENDPOINTS>['webhookEndpoints']['nodes'][number];

/** An endpoint that was made just now. */
interface Made {
  readonly endpointId: string;
  readonly secret: string;
}

export function Page() {
  const environment = useEnvironment();
  const go = useGo();
  const href = useHref();
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<Made>();
  const reading = useReading(ENDPOINTS, usePosition());
  const onMade = (endpoint: Made) => {
    setCreating(false);
    setMade(endpoint);
  };
  return (
    <PageFrame
      title="Webhooks"
      lead={`What happens in the ${environment} environment is sent to these endpoints, signed.`}
      actions={
        <Button look="primary" onClick={() => setCreating(true)}>
          Add an endpoint
        </Button>
      }
    >
      <Loaded reading={reading}>
        {({ webhookEndpoints: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Webhook endpoints"
              columns={columnsOf(href)}
              rows={nodes}
              keyOf={({ endpointId }) => endpointId}
              empty={<p>There are no endpoints. Add one, and it is sent what happens from then on.</p>}
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      {isCreating && <CreateDialog onMade={onMade} onClose={() => setCreating(false)} />}
      {made && (
        <SecretDialog
          title="The endpoint's signing secret"
          label="Signing secret"
          secret={made.secret}
          onDone={() => {
            // Before this page is left: it stays in the document, hidden, until the next one is loaded.
            flushSync(() => setMade(undefined));
            go(`/webhooks/${made.endpointId}`);
          }}
        >
          <p>
            Messages are signed with it by the Standard Webhooks scheme: by it your server knows that they are from
            here.
          </p>
        </SecretDialog>
      )}
    </PageFrame>
  );
}

function CreateDialog({ onMade, onClose }: { readonly onMade: (made: Made) => void; readonly onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY_ENDPOINT);
  const { make, busy, fault } = useChange(CREATE_ENDPOINT);
  const submit = async () => {
    if (!isWhole(draft)) return;
    const data = await make({ input: inputOf(draft) });
    if (data)
      onMade({ endpointId: data.createWebhookEndpoint.endpoint.endpointId, secret: data.createWebhookEndpoint.secret });
  };
  return (
    <FormDialog
      title="Add an endpoint"
      verb="Add"
      shownAt={ENDPOINT_FIELDS}
      onSubmit={submit}
      {...{ busy, fault, onClose }}
    >
      <EndpointFields draft={draft} fault={fault} onChange={setDraft} />
    </FormDialog>
  );
}

function columnsOf(href: ReturnType<typeof useHref>): Column<Endpoint>[] {
  return [
    {
      title: 'URL',
      cell: ({ endpointId, url, description }) => (
        <>
          <Link to={href(`/webhooks/${endpointId}`)} className="break-all font-mono text-sm text-accent underline">
            {url}
          </Link>
          {description && <span className="mt-0.5 block text-sm text-muted">{description}</span>}
        </>
      ),
    },
    { title: 'Events', cell: ({ eventTypes }) => <span className="text-sm">{typesInWords(eventTypes)}</span> },
    { title: 'State', cell: ({ enabled }) => <EndpointState enabled={enabled} /> },
    { title: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}

/** Whether anything is sent to it. */
function EndpointState({ enabled }: { readonly enabled: boolean }) {
  return <Badge tone={enabled ? 'ok' : 'warn'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>;
}
