import { type ReactNode, useState } from 'react';
import { Icon } from '../../../ui/icon.tsx';

interface Props {
  readonly summary: ReactNode;
  readonly children: ReactNode;
}

/** A part of a step that opens. What it hides is rendered when it opens first: a trace can hold megabytes of text. */
export function Fold({ summary, children }: Props) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details
      className="group/fold min-w-0 rounded-lg border border-line bg-surface"
      onToggle={(event) => {
        // A fold within this one reports to this one too.
        if (event.target === event.currentTarget && event.currentTarget.open) setWasOpened(true);
      }}
    >
      <summary className="flex min-h-10 cursor-pointer list-none items-center gap-2 rounded-lg px-3 py-1.5 hover:bg-sunken [&::-webkit-details-marker]:hidden">
        <Icon name="chevron" className="size-4 shrink-0 text-muted transition group-open/fold:rotate-90" />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">{summary}</span>
      </summary>
      {wasOpened && <div className="flex flex-col gap-3 border-t border-line p-3">{children}</div>}
    </details>
  );
}
