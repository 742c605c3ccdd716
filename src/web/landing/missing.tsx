import '../styles.css';
import { en } from '../texts/en.ts';
import { mount, pageData } from '../ui/mount.tsx';

const TEXTS: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  not_found: ['Page not found', 'The link may be out of date, or the page is turned off.'],
  rate_limited: ['Too many requests', 'Wait a minute, then reload this page.'],
  unavailable: ['Service not available', 'Reload this page in a moment.'],
};

/** The page for an address that cannot be shown. */
function Missing({ code = '' }: { readonly code?: string }) {
  const [title, advice] = TEXTS[code] ?? ['This page could not be loaded', 'Reload it in a moment.'];
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-3 p-6 text-center">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="text-muted">{advice}</p>
    </main>
  );
}

mount(<Missing {...pageData<{ code?: string }>()} />, en);
