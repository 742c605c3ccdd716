import { type ReactNode, useEffect } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useBadge } from '../alerts.ts';
import { useEnvironment } from '../location.ts';

interface Props {
  readonly title: string;
  /** Buttons and links next to the title. */
  readonly actions?: ReactNode;
  /** The line under the title: the purpose of the page, or a link to its parent. */
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** The title and content of a page. */
export function PageFrame({ title, actions, lead, children }: Props) {
  const isTest = useEnvironment() === 'test';
  const badge = useBadge();
  useEffect(() => {
    document.title = `${badge ? `(${badge}) ` : ''}${isTest ? 'Test: ' : ''}${title} · Parley`;
  }, [title, isTest, badge]);
  return (
    <div className="in-order mx-auto flex w-full max-w-6xl flex-col gap-6">
      <header className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1 className="text-2xl font-semibold">{title}</h1>
          {lead && <div className="mt-1 text-muted">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** The room of a lead that depends on the data. */
export function LeadSkeleton() {
  return <span aria-hidden="true" className="my-1 block h-4 w-64 max-w-full animate-pulse rounded-lg bg-sunken" />;
}

/** The shape of a page whose script is loading. */
export function PageSkeleton() {
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-6">
      <div aria-hidden="true" className="h-9 w-56 animate-pulse rounded-lg bg-sunken" />
      <Skeleton rows={8} />
    </div>
  );
}

/** A part of a page with its own heading. */
export function Section({ title, actions, children }: Omit<Props, 'lead'>) {
  return (
    <section className="card rounded-xl border border-line bg-surface p-4 shadow-sm md:p-5">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 className="min-w-0 text-lg font-semibold">{title}</h2>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Tells a user without the permission to write why nothing can be changed. */
export function ReadOnlyNotice({ subject }: { readonly subject: string }) {
  return (
    <Notice>
      Your role allows you to view {subject}, but not to change it. Ask an owner or admin for another role.
    </Notice>
  );
}
