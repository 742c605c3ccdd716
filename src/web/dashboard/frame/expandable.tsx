import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';

/** A list whose items open to show details. */
export function ExpandableList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
      {children}
    </ul>
  );
}

interface ExpandableProps {
  readonly summary: ReactNode;
  /** Called with each change. */
  readonly onToggle?: ((isOpen: boolean) => void) | undefined;
  readonly children: ReactNode;
}

export function Expandable({ summary, onToggle, children }: ExpandableProps) {
  return (
    <li>
      <details className="group" onToggle={(event) => onToggle?.(event.currentTarget.open)}>
        <summary className="flex cursor-pointer list-none items-start gap-3 px-4 py-3 -outline-offset-2 hover:bg-sunken [&::-webkit-details-marker]:hidden">
          <Icon name="chevron" className="mt-1 size-4 text-muted transition group-open:rotate-90" />
          <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-4 gap-y-1">{summary}</div>
        </summary>
        <div className="flex flex-col gap-4 border-t border-line bg-canvas px-4 py-4 md:pl-11">{children}</div>
      </details>
    </li>
  );
}

/** Names and values, one pair per row. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid gap-x-6 sm:grid-cols-[max-content_1fr] sm:items-baseline sm:gap-y-2">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-sm text-muted sm:leading-6">{name}</dt>
      <dd className="mb-2 min-w-0 break-words sm:mb-0">{children}</dd>
    </div>
  );
}
