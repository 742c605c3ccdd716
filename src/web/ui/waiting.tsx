import type { ReactNode } from 'react';
import { Spinner } from './button.tsx';

/** Something is under way, and this is what. */
export function Waiting({ children = 'Loading' }: { readonly children?: ReactNode }) {
  return (
    <p role="status" className="flex items-center gap-2 text-muted">
      <Spinner /> {children}
    </p>
  );
}
