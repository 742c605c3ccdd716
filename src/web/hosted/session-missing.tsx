import type { ParleyError } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { isIdentified } from './host-token.ts';

const isFramed = window.top !== window;

/** The browser keeps no session in a frame. The session of an identified user comes from the page around it. */
const isBlocked = isFramed && !isIdentified;

/** Whether the service found no visitor session: it expired after 24 hours, or the browser sent no cookies. */
export function isSessionMissing({ code }: ParleyError): boolean {
  return code === 'unauthorized' || (isFramed && code === 'origin_not_allowed');
}

/** Gets a new session. In a frame of another site, where browsers send no cookies, opens the page outside the frame. */
export function SessionMissing() {
  if (!isBlocked) return <Button onClick={() => location.reload()}>{texts().page.reload}</Button>;
  return (
    <a
      href={location.href}
      target="_blank"
      rel="noopener"
      className="inline-flex min-h-10 items-center rounded-lg border border-line bg-surface px-4 font-medium text-ink hover:bg-sunken"
    >
      {texts().page.openInTab}
    </a>
  );
}

/** Why there is no session. */
export const sessionMissing = (): string => {
  const { blocked, expired, notIdentified } = texts().session;
  if (isIdentified) return notIdentified;
  return isFramed ? blocked : expired;
};
