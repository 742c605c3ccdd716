import type { ReactNode } from 'react';

/** The frame of every page before the sign-in. */
export function EntryPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 p-6">
      <div>
        <p className="font-medium text-accent">Parley</p>
        <h1 className="text-2xl font-semibold">{title}</h1>
      </div>
      {children}
    </main>
  );
}
