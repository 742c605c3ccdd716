import '../styles.css';
import { mount, pageData } from '../ui/mount.tsx';

const WORDS: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  not_found: ['There is no page here', 'The link may be old, or its owner has switched the page off.'],
  rate_limited: ['Too many visits', 'Wait a minute, then load this page again.'],
  unavailable: ['Not available right now', 'Load this page again in a moment.'],
};

/** What somebody sees whose page cannot be shown. */
function Missing({ code = '' }: { readonly code?: string }) {
  const [title, advice] = WORDS[code] ?? ['This page cannot be shown', 'Load it again in a moment.'];
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-3 p-6 text-center">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="text-muted">{advice}</p>
    </main>
  );
}

mount(<Missing {...pageData<{ code?: string }>()} />);
