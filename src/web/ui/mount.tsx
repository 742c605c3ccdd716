import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { directionOf } from '../../contract/branding/languages.ts';
import { setTexts } from '../texts/current.ts';
import type { Texts } from '../texts/en.ts';
import { ErrorBoundary } from './error-boundary.tsx';

/** Renders a page into the document's `#root`. `locale` is the BCP 47 tag of the texts, for dates and numbers. */
export function mount(page: ReactNode, texts: Texts, locale = 'en'): void {
  setTexts(texts, locale);
  document.documentElement.lang = locale;
  document.documentElement.dir = directionOf(locale);
  const root = document.getElementById('root');
  if (!root) throw new Error('The document has no #root.');
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>{page}</ErrorBoundary>
    </StrictMode>,
  );
}

/** The data that the service embedded in the page. */
export function pageData<Data>(): Data {
  // The service that serves this page wrote it, in the same version.
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '{}') as Data;
}
