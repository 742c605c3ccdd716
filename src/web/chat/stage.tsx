import type { ReactNode } from 'react';
import { ParleyError } from '../../sdk/index.ts';
import type { Address } from '../hosted/address.ts';
import { isSessionMissing, SessionMissing, sessionMissing } from '../hosted/session-missing.tsx';
import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { ThreadState } from './thread-state.ts';
import { isMissing } from './use-chat.ts';
import type { Link } from './use-link.ts';

/** What the page shows. `talk`, `used` and `starting` show a conversation; `starting` has no ID yet. */
export type StageName = 'talk' | 'used' | 'starting' | 'loading' | 'expired' | 'unknown' | 'link_needed' | 'error';

interface PageInput {
  readonly link: Link;
  readonly state: ThreadState;
  readonly address: Address;
  readonly triggerRequired: boolean;
}

export function stageOf({ link, state, address, triggerRequired }: PageInput): StageName {
  if (typeof link !== 'string' || typeof state.opening !== 'string') return 'error';
  if (link === 'loading' || state.opening === 'loading') return 'loading';
  if (link !== 'none') return link;
  return triggerRequired && address.cid === null ? 'link_needed' : 'talk';
}

interface Props {
  readonly stage: StageName;
  readonly error: unknown;
  /** Starts a conversation. Undefined if this deployment requires a link. */
  readonly onNew: (() => void) | undefined;
  /** The conversation. */
  readonly children: ReactNode;
}

/** The conversation, or the reason why it cannot be shown. */
export function Stage({ stage, error, onNew, children }: Props) {
  const t = texts().entry;
  const startButton = onNew && <Button onClick={onNew}>{texts().page.startNew}</Button>;
  switch (stage) {
    case 'loading':
      return (
        <Centered>
          <p role="status" className="flex items-center justify-center gap-3 text-muted">
            <Spinner /> {texts().page.loading}
          </p>
        </Centered>
      );
    case 'expired':
      return (
        <Message title={t.expired} action={startButton}>
          {t.expiredAdvice}
        </Message>
      );
    case 'unknown':
      return (
        <Message title={t.unknown} action={startButton}>
          {t.unknownAdvice}
        </Message>
      );
    case 'link_needed':
      return <Message title={t.linkNeeded}>{t.linkNeededList}</Message>;
    case 'error':
      return <ErrorNotice error={error} startButton={startButton} />;
    default:
      return (
        <>
          {stage === 'used' && (
            <div className="mx-auto w-full max-w-3xl px-4 pt-4">
              <Notice>{t.linkUsed}</Notice>
            </div>
          )}
          {children}
        </>
      );
  }
}

function ErrorNotice({ error, startButton }: { readonly error: unknown; readonly startButton: ReactNode }) {
  const t = texts().entry;
  if (!(error instanceof ParleyError)) return null;
  if (isSessionMissing(error)) {
    return (
      <Message title={t.cannotShow} action={<SessionMissing />}>
        {sessionMissing()}
      </Message>
    );
  }
  if (isMissing(error)) {
    return (
      <Message title={t.notFound} action={startButton}>
        {t.notFoundAdvice}
      </Message>
    );
  }
  return (
    <Message title={t.notLoaded} action={<Button onClick={() => location.reload()}>{texts().page.tryAgain}</Button>}>
      {errorText(error)}
    </Message>
  );
}

interface MessageProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

function Message({ title, children, action }: MessageProps) {
  return (
    <Centered>
      <div role="status">
        <h2 className="text-xl font-semibold">{title}</h2>
        <p className="mt-2 text-muted">{children}</p>
      </div>
      {action && <div className="mt-6">{action}</div>}
    </Centered>
  );
}

function Centered({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-0 flex-1 overflow-y-auto p-6">
      <div className="m-auto max-w-md text-center">{children}</div>
    </div>
  );
}
