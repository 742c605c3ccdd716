import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { enumValueIn } from '../../../contract/enum-names.ts';
import { EVENT_TYPES } from '../../../contract/statuses.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { NotFound } from '../frame/not-found.tsx';
import { LeadSkeleton, PageFrame, ReadOnlyNotice, Section } from '../frame/page-frame.tsx';
import { useGo, useHref } from '../location.ts';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { DELETE_RESOURCE, EVENTS_OF_RESOURCE, RESOURCE } from './documents.ts';
import { EditFields, type ResourceData } from './edit-fields.tsx';

export function Page() {
  const { resourceId = '' } = useParams();
  return <Resource key={resourceId} resourceId={resourceId} />;
}

function Resource({ resourceId }: { readonly resourceId: string }) {
  const query = useServiceQuery(RESOURCE, { id: resourceId });
  const canWrite = usePermission('resources:write');
  const canReadEvents = usePermission('events:read');
  const [isDeleting, setDeleting] = useState(false);
  if (query.data?.resource === null && !query.error) {
    return (
      <NotFound title="Resource not found" to="/resources" list="All resources">
        It may have been deleted, or it belongs to the other environment.
      </NotFound>
    );
  }
  const resource = query.data?.resource;
  return (
    <PageFrame
      title={resource?.type ?? 'Resource'}
      lead={resource ? <Lead {...resource} /> : <LeadSkeleton />}
      actions={
        canWrite &&
        resource && (
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {() =>
          resource && (
            <>
              {!canWrite && <ReadOnlyNotice subject="this resource" />}
              <EditFields resource={resource} canWrite={canWrite} />
              {canReadEvents && <Events resourceId={resourceId} />}
              {isDeleting && <Delete resource={resource} onClose={() => setDeleting(false)} />}
            </>
          )
        }
      </Loaded>
    </PageFrame>
  );
}

function Lead({ resourceId, createdAt, updatedAt }: ResourceData) {
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <code className="wrap-anywhere font-mono text-sm">{resourceId}</code>
      <CopyButton text={resourceId} label="Copy resource ID" />
      <span>
        Created <Time at={createdAt} />, changed <Time at={updatedAt} />
      </span>
    </span>
  );
}

function Events({ resourceId }: { readonly resourceId: string }) {
  const query = useServiceQuery(EVENTS_OF_RESOURCE, { id: resourceId });
  const href = useHref();
  return (
    <Section
      title="Events"
      actions={
        <Link to={href('/events', { resource: resourceId })} className="text-accent hover:underline">
          All events
        </Link>
      }
    >
      <Loaded query={query}>
        {({ events: { nodes } }) =>
          nodes.length === 0 ? (
            <p className="text-muted">No events for this resource.</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {nodes.map(({ eventId, type, occurredAt }) => (
                <li key={eventId} className="flex flex-wrap justify-between gap-3 py-2">
                  <code className="font-mono text-sm">{enumValueIn(EVENT_TYPES, type)}</code>
                  <span className="text-muted">
                    <Time at={occurredAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

function Delete({ resource, onClose }: { readonly resource: ResourceData; readonly onClose: () => void }) {
  // The version that the user saw. If somebody else changes the resource, the user has to confirm again.
  const [etag, setEtag] = useState(resource.etag);
  const { mutate, busy, error } = useServiceMutation(DELETE_RESOURCE);
  const go = useGo();
  const isChanged = resource.etag !== etag;
  const confirm = async () => {
    if (await mutate({ id: resource.resourceId, ifMatch: etag })) go('/resources', { type: resource.type });
  };
  return (
    <ConfirmDialog
      title={`Delete this ${resource.type}?`}
      verb="Delete permanently"
      busy={busy}
      disabled={isChanged}
      error={isChanged || error?.code === 'precondition_failed' ? undefined : error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>You cannot undo this. The event log keeps its events, and webhooks are notified.</p>
      {isChanged && (
        <Notice
          tone="warn"
          action={
            <Button small onClick={() => setEtag(resource.etag)}>
              Delete anyway
            </Button>
          }
        >
          This resource has changed since you opened this dialog. Close the dialog to review the changes.
        </Notice>
      )}
    </ConfirmDialog>
  );
}
