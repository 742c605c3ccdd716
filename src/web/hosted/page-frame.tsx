import type { ReactNode } from 'react';

interface Props {
  /** Of the deployment: what people know this assistant as. */
  readonly name: string;
  /** In front of the name. */
  readonly leading?: ReactNode;
  /** Behind it. */
  readonly actions?: ReactNode;
  /** Beside the conversation. */
  readonly aside?: ReactNode;
  /** The conversation: a column that fills what the header leaves of the window. */
  readonly children: ReactNode;
}

/** What hosted pages have around a conversation. The window itself never scrolls, so a composer stays where it is. */
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
