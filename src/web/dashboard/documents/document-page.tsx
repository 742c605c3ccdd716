import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Time } from '../../ui/time.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { NotFound } from '../frame/not-found.tsx';
import { LeadSkeleton, PageFrame, ReadOnlyNotice, Section } from '../frame/page-frame.tsx';
import { Tabs, useTab } from '../frame/tabs.tsx';
import { useGo, useHref } from '../location.ts';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { CallsTab } from './calls-tab.tsx';
import { CheckFacts, Problems } from './check-result.tsx';
import type { DocumentData } from './document-data.ts';
import { DOCUMENT, UNPUBLISH_DOCUMENT } from './documents.ts';
import { EditTab } from './edit-tab.tsx';
import { KINDS } from './format.ts';
import { UseTab } from './use-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

const TABS = [
  { name: 'edit', title: 'Operation' },
  { name: 'use', title: 'Use' },
  { name: 'calls', title: 'Calls' },
  { name: 'versions', title: 'Versions' },
] as const;

export function Page() {
  const { documentId = '' } = useParams();
  return <DocumentDetails key={documentId} documentId={documentId} />;
}

function DocumentDetails({ documentId }: { readonly documentId: string }) {
  const query = useServiceQuery(DOCUMENT, { id: documentId });
  const canWrite = usePermission('documents:write');
  const [isUnpublishing, setUnpublishing] = useState(false);
  const document = query.data?.document;
  if (document === null && !query.error) {
    return (
      <NotFound title="Operation not found" to="/documents" list="All operations">
        It may have been unpublished, or it belongs to the other environment.
      </NotFound>
    );
  }
  return (
    <PageFrame
      title={document?.name ?? 'Operation'}
      lead={document ? <Lead document={document} /> : <LeadSkeleton />}
      actions={
        canWrite &&
        document && (
          <Button look="danger" onClick={() => setUnpublishing(true)}>
            Unpublish
          </Button>
        )
      }
    >
      <Tabs label="Operation" tabs={TABS} />
      <Loaded query={query}>{() => document && <Content document={document} canWrite={canWrite} />}</Loaded>
      {isUnpublishing && document && <Unpublish document={document} onClose={() => setUnpublishing(false)} />}
    </PageFrame>
  );
}

function Lead({ document: { kind, version, updatedAt } }: { readonly document: DocumentData }) {
  const href = useHref();
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <Link to={href('/documents')} className="text-accent underline">
        All operations
      </Link>
      <span>
        {KINDS[kind]} · version {version}, published <Time at={updatedAt} />
      </span>
    </span>
  );
}

function Content({ document, canWrite }: { readonly document: DocumentData; readonly canWrite: boolean }) {
  const tab = useTab(TABS);
  // The editor stays, so that switching tabs keeps an unpublished text.
  return (
    <>
      <div className={tab === 'edit' ? 'flex flex-col gap-6' : 'hidden'}>
        {canWrite ? <EditTab document={document} /> : <ReadTab document={document} />}
      </div>
      {tab === 'use' && <UseTab document={document} />}
      {tab === 'calls' && <CallsTab documentId={document.documentId} />}
      {tab === 'versions' && <VersionsTab document={document} />}
    </>
  );
}

function ReadTab({ document: { current, check } }: { readonly document: DocumentData }) {
  return (
    <>
      <ReadOnlyNotice subject="this operation" />
      <Section title="Operation">
        <div className="flex flex-col gap-4">
          <CodeBlock label="Query or mutation" text={current?.text ?? ''} />
          <Problems problems={check.problems} />
          <CheckFacts check={check} />
        </div>
      </Section>
    </>
  );
}

function Unpublish({ document, onClose }: { readonly document: DocumentData; readonly onClose: () => void }) {
  const { mutate, busy, error } = useServiceMutation(UNPUBLISH_DOCUMENT);
  const go = useGo();
  const confirm = async () => {
    if (await mutate({ id: document.documentId })) go('/documents');
  };
  return (
    <ConfirmDialog
      title={`Unpublish ${document.name}?`}
      verb="Unpublish"
      {...{ busy, error, onClose }}
      onConfirm={confirm}
    >
      <p>
        Its path and its tool no longer exist, and the IDs of all its versions are no longer trusted. Its versions and
        the counts of its calls are deleted. You cannot undo this.
      </p>
    </ConfirmDialog>
  );
}
