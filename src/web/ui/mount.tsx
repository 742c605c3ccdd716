import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

/** Renders a page into the document's `#root`. */
export function mount(page: ReactNode): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('The document has no #root.');
  createRoot(root).render(<StrictMode>{page}</StrictMode>);
}

/** The data that the service embedded in the page. */
export function pageData<Data>(): Data {
  // The service that serves this page wrote it, in the same version.
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '{}') as Data;
}
