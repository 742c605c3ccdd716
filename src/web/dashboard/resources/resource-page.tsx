import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { MayNot } from '../build/may-not.tsx';
import { useGo, useHref } from '../location.ts';
import { useChange, useReading } from '../requests.ts';
import { useMay } from '../session/session.ts';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame, Section } from '../shell/page-frame.tsx';
import { DELETE_RESOURCE, EVENTS_OF_RESOURCE, RESOURCE } from './documents.ts';
import { EditFields } from './edit-fields.tsx';
import type { ResourceData } from './editing.ts';

export function Page() {
  const { resourceId = '' } = useParams();
  return <Resource key={resourceId} resourceId={resourceId} />;
}

function Resource({ resourceId }: { readonly resourceId: string }) {
  const reading = useReading(RESOURCE, { id: resourceId });
  const mayWrite = useMay('resources:write');
  const mayReadEvents = useMay('events:read');
  const [isDeleting, setDeleting] = useState(false);
  if (reading.fault?.code === 'not_found') {
    return (
      <PageFrame title="There is no such resource">
        <p className="text-muted">It was deleted, or it is in the other environment.</p>
      </PageFrame>
    );
  }
  const resource = reading.data?.resource;
  return (
    <PageFrame
      title={resource ? `A ${resource.type}` : 'Resource'}
      lead={resource && <Lead {...resource} />}
      actions={
        mayWrite &&
        resource && (
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <Loaded reading={reading}>
        {() =>
          resource && (
            <>
              {!mayWrite && <MayNot what="this resource" />}
              <EditFields resource={resource} mayWrite={mayWrite} />
              {mayReadEvents && <Events resourceId={resourceId} />}
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
      <code className="break-all font-mono text-sm">{resourceId}</code>
      <CopyButton text={resourceId} label="Copy id" />
      <span>
        Made <Time at={createdAt} />, changed <Time at={updatedAt} />
      </span>
    </span>
  );
}

function Events({ resourceId }: { readonly resourceId: string }) {
  const reading = useReading(EVENTS_OF_RESOURCE, { id: resourceId });
  const href = useHref();
  return (
    <Section
      title="Events"
      actions={
        <Link to={href('/events', { resource: resourceId })} className="text-accent hover:underline">
          All its events
        </Link>
      }
    >
      <Loaded reading={reading}>
        {({ events: { nodes } }) =>
          nodes.length === 0 ? (
            <p className="text-muted">The log tells nothing of it.</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {nodes.map(({ eventId, type, occurredAt }) => (
                <li key={eventId} className="flex flex-wrap justify-between gap-3 py-2">
                  <code className="font-mono text-sm">{type}</code>
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
  // As it was when one was asked: what another makes of it meanwhile is not deleted unseen.
  const [etag, setEtag] = useState(resource.etag);
  const { make, busy, fault } = useChange(DELETE_RESOURCE);
  const go = useGo();
  const isChanged = resource.etag !== etag;
  const confirm = async () => {
    if (await make({ id: resource.resourceId, ifMatch: etag })) go('/resources', { type: resource.type });
  };
  return (
    <Dialog title={`Delete this ${resource.type}?`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>It is gone for ever. The log keeps its events, and webhooks are told of it.</p>
        {isChanged && (
          <Notice
            tone="warn"
            action={
              <Button small onClick={() => setEtag(resource.etag)}>
                Delete it all the same
              </Button>
            }
          >
            Somebody else has changed it since you opened this. Close this to look at it first.
          </Notice>
        )}
        {fault && !isChanged && fault.code !== 'precondition_failed' && <Notice tone="danger">{fault.message}</Notice>}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={busy} disabled={isChanged} onClick={confirm}>
            Delete for ever
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
