import type { ReactNode } from 'react';
import { MAIN_ID, SkipLink } from '../ui/skip-link.tsx';

interface Props {
  /** The name of the deployment. */
  readonly name: string;
  /** Null: no logo. */
  readonly logoUrl: string | null;
  /** Shown before the name. */
  readonly leading?: ReactNode;
  /** Shown after the name. */
  readonly actions?: ReactNode;
  /** Shown before the conversation, on the side where lines begin. */
  readonly aside?: ReactNode;
  /** The conversation: a column that fills the window below the header. */
  readonly children: ReactNode;
}

/** The layout of a hosted page. The window itself never scrolls, so that the composer stays in place. */
export function PageFrame({ name, logoUrl, leading, actions, aside, children }: Props) {
  return (
    <div className="flex h-dvh flex-col">
      <SkipLink />
      <header className="flex min-h-14 shrink-0 items-center gap-2 border-b border-line bg-surface px-3 sm:px-4">
        {leading}
        {logoUrl && <img src={logoUrl} alt="" className="h-8 max-w-32 shrink-0 object-contain" />}
        <h1 className="flex min-w-0 flex-1 font-semibold">
          <bdi className="truncate">{name}</bdi>
        </h1>
        {actions}
      </header>
      <div className="flex min-h-0 flex-1">
        {aside}
        <main id={MAIN_ID} tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}
