import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { SecretDialog } from '../frame/secret-dialog.tsx';
import { type Column, Table } from '../frame/table.tsx';
import { useEnvironment, useGo, useHref, useOnCreate } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { ENDPOINTS } from './documents.ts';
import { CreateDialog, type NewEndpoint } from './endpoint-dialogs.tsx';
import { formatEventTypes } from './endpoint-form.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { EndpointState } from './endpoint-state.tsx';

type Endpoint = ResultOf<typeof ENDPOINTS>['webhookEndpoints']['nodes'][number];

export function Page() {
  const environment = useEnvironment();
  const go = useGo();
  const href = useHref();
  const [isCreating, setCreating] = useState(false);
  useOnCreate(() => setCreating(true));
  const [created, setCreated] = useState<NewEndpoint>();
  const query = useServiceQuery(ENDPOINTS, usePosition());
  const onCreated = (endpoint: NewEndpoint) => {
    setCreating(false);
    setCreated(endpoint);
  };
  return (
    <PageFrame
      title="Webhooks"
      lead={`The service sends the events of the ${environment} environment to these endpoints.`}
      actions={
        <Button look="primary" onClick={() => setCreating(true)}>
          Add endpoint
        </Button>
      }
    >
      <Loaded query={query}>
        {({ webhookEndpoints: { nodes, pageInfo } }) => (
          <div>
            <Table
              label="Webhook endpoints"
              columns={columnsOf(href)}
              rows={nodes}
              keyOf={({ endpointId }) => endpointId}
              empty={<p>No endpoints yet. Add an endpoint to receive new events.</p>}
            />
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
      {isCreating && <CreateDialog onCreated={onCreated} onClose={() => setCreating(false)} />}
      {created && (
        <SecretDialog
          title="Signing secret of the endpoint"
          label="Signing secret"
          secret={created.secret}
          onDone={() => {
            // Remove the secret before the navigation: this page stays in the document until the next one has loaded.
            flushSync(() => setCreated(undefined));
            go(`/webhooks/${created.endpointId}`);
          }}
        >
          <p>
            Messages are signed with it according to Standard Webhooks. Your server uses the secret to verify that they
            come from this service.
          </p>
        </SecretDialog>
      )}
    </PageFrame>
  );
}

function columnsOf(href: ReturnType<typeof useHref>): Column<Endpoint>[] {
  return [
    {
      title: 'URL',
      cell: ({ endpointId, url, description }) => (
        <>
          <Link to={href(`/webhooks/${endpointId}`)} className="wrap-anywhere font-mono text-sm text-accent underline">
            {url}
          </Link>
          {description && <span className="mt-0.5 block text-sm text-muted">{description}</span>}
        </>
      ),
    },
    { title: 'Events', cell: ({ eventTypes }) => <span className="text-sm">{formatEventTypes(eventTypes)}</span> },
    { title: 'Status', cell: (endpoint) => <EndpointState health={endpoint} /> },
    { title: 'Last 24 hours', cell: ({ health }) => <EndpointHealth health={health} /> },
    { title: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}
