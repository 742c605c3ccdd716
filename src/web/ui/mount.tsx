import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

/** Shows a page in its document. */
export function mount(page: ReactNode): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('The document has no #root.');
  createRoot(root).render(<StrictMode>{page}</StrictMode>);
}

/** What the service has filled the page in with. */
export function pageData<Data>(): Data {
  // Written by the service that serves this page, of the same version.
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '{}') as Data;
}
