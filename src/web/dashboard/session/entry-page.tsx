import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** For a page with more than a few fields. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** The frame of every page without the navigation of the dashboard. */
export function EntryPage({ title, wide = false, children }: Props) {
  return (
    <main className={`mx-auto flex min-h-dvh flex-col justify-center gap-6 p-6 ${wide ? 'max-w-xl' : 'max-w-sm'}`}>
      <div>
        <p className="font-medium text-accent">Parley</p>
        <h1 className="text-2xl font-semibold">{title}</h1>
      </div>
      {children}
    </main>
  );
}
