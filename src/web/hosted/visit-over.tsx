import { Button } from '../ui/button.tsx';

const isFramed = window.top !== window;

/**
 * What to do where the service does not know this browser as a visitor: its visit of 24 hours is over, or this page is
 * in a frame of another site, to which browsers send no cookies.
 */
export function VisitOver() {
  if (!isFramed) return <Button onClick={() => location.reload()}>Load this page again</Button>;
  return (
    <a
      href={location.href}
      target="_blank"
      rel="noopener"
      className="inline-flex min-h-10 items-center rounded-lg border border-line bg-surface px-4 font-medium text-ink hover:bg-sunken"
    >
      Open in a new tab
    </a>
  );
}

/** Why. */
export const VISIT_OVER = isFramed
  ? 'Your browser does not let this assistant be used inside another site.'
  : 'This visit is over, for it was opened more than a day ago.';
