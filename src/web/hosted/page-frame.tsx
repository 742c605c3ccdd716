import type { ReactNode } from 'react';

interface Props {
  /** The name of the deployment. */
  readonly name: string;
  /** Shown before the name. */
  readonly leading?: ReactNode;
  /** Shown after the name. */
  readonly actions?: ReactNode;
  /** Shown to the left of the conversation. */
  readonly aside?: ReactNode;
  /** The conversation: a column that fills the window below the header. */
  readonly children: ReactNode;
}

/** The layout of a hosted page. The window itself never scrolls, so that the composer stays in place. */
export function PageFrame({ name, leading, actions, aside, children }: Props) {
  return (
    <div className="flex h-dvh flex-col">
      <header className="flex min-h-14 shrink-0 items-center gap-2 border-b border-line bg-surface px-3 sm:px-4">
        {leading}
        <h1 className="min-w-0 flex-1 truncate font-semibold">{name}</h1>
        {actions}
      </header>
      <div className="flex min-h-0 flex-1">
        {aside}
        <main className="flex min-w-0 flex-1 flex-col">{children}</main>
      </div>
    </div>
  );
}
