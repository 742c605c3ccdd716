import type { ReactNode } from 'react';
import { ParleyError } from '../../sdk/index.ts';
import type { Address } from '../hosted/address.ts';
import { wordsOf } from '../hosted/error-words.ts';
import { isOutside, VISIT_OVER, VisitOver } from '../hosted/visit-over.tsx';
import { Button, Spinner } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { ThreadState } from './thread-state.ts';
import { isGone } from './use-chat.ts';
import type { Link } from './use-link.ts';

/** What the page is about now: `talk` and `used` show a conversation, and so does `starting`, which has no id yet. */
export type StageName = 'talk' | 'used' | 'starting' | 'loading' | 'expired' | 'unknown' | 'link_needed' | 'fault';

interface Known {
  readonly link: Link;
  readonly state: ThreadState;
  readonly address: Address;
  readonly triggerRequired: boolean;
}

export function stageOf({ link, state, address, triggerRequired }: Known): StageName {
  if (typeof link !== 'string' || typeof state.opening !== 'string') return 'fault';
  if (link === 'loading' || state.opening === 'loading') return 'loading';
  if (link !== 'none') return link;
  return triggerRequired && address.cid === null ? 'link_needed' : 'talk';
}

interface Props {
  readonly stage: StageName;
  readonly error: unknown;
  /** Without it no conversation can be begun here. */
  readonly onNew: (() => void) | undefined;
  /** The conversation. */
  readonly children: ReactNode;
}

/** The conversation, or why there is none. */
export function Stage({ stage, error, onNew, children }: Props) {
  const begin = onNew && <Button onClick={onNew}>Start a new conversation</Button>;
  switch (stage) {
    case 'loading':
      return (
        <Middle>
          <p role="status" className="flex items-center justify-center gap-3 text-muted">
            <Spinner /> Loading…
          </p>
        </Middle>
      );
    case 'expired':
      return (
        <Told title="This link has expired" action={begin}>
          Ask whoever sent it to you for a new one.
        </Told>
      );
    case 'unknown':
      return (
        <Told title="This link is not known here" action={begin}>
          It may not be complete. Open it again from where you found it.
        </Told>
      );
    case 'link_needed':
      return (
        <Told title="This assistant is opened from a link">
          Use the link that you were given. Conversations that you began with one are in your list.
        </Told>
      );
    case 'fault':
      return <Fault error={error} begin={begin} />;
    default:
      return (
        <>
          {stage === 'used' && (
            <div className="mx-auto w-full max-w-3xl px-4 pt-4">
              <Notice>This link was used before. Here is its conversation.</Notice>
            </div>
          )}
          {children}
        </>
      );
  }
}

function Fault({ error, begin }: { readonly error: unknown; readonly begin: ReactNode }) {
  if (!(error instanceof ParleyError)) return null;
  if (isOutside(error)) {
    return (
      <Told title="This conversation cannot be shown here" action={<VisitOver />}>
        {VISIT_OVER}
      </Told>
    );
  }
  if (isGone(error)) {
    return (
      <Told title="This conversation is gone" action={begin}>
        It was deleted, or the link to it is not complete.
      </Told>
    );
  }
  return (
    <Told
      title="This conversation could not be loaded"
      action={<Button onClick={() => location.reload()}>Try again</Button>}
    >
      {wordsOf(error)}
    </Told>
  );
}

interface ToldProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

function Told({ title, children, action }: ToldProps) {
  return (
    <Middle>
      <div role="status">
        <h2 className="text-xl font-semibold">{title}</h2>
        <p className="mt-2 text-muted">{children}</p>
      </div>
      {action && <div className="mt-6">{action}</div>}
    </Middle>
  );
}

function Middle({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-0 flex-1 overflow-y-auto p-6">
      <div className="m-auto max-w-md text-center">{children}</div>
    </div>
  );
}
