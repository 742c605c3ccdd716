import { type ReactNode, useEffect, useState } from 'react';
import { texts } from '../texts/current.ts';
import { Button, Spinner } from '../ui/button.tsx';
import { openUserSession, type UserSession } from './user-session.ts';

type State = 'waiting' | 'failed' | { readonly page: ReactNode };

interface Props {
  readonly allowlist: readonly string[];
  /** Called once for each session. */
  readonly page: (user: UserSession) => ReactNode;
}

/** Shows the page once the page around it has identified the user. Until then nothing of a conversation is shown. */
export function Identified({ allowlist, page }: Props) {
  const [state, setState] = useState<State>('waiting');
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks again
  useEffect(() => {
    let isLeft = false;
    const show = (next: State) => {
      if (!isLeft) setState(next);
    };
    setState('waiting');
    openUserSession(allowlist).then(
      (user) => show({ page: page(user) }),
      () => show('failed'),
    );
    return () => {
      isLeft = true;
    };
  }, [allowlist, attempt]);
  if (typeof state !== 'string') return state.page;
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col items-center justify-center gap-4 p-6 text-center">
      {state === 'waiting' ? (
        <p role="status" className="flex items-center gap-3 text-muted">
          <Spinner /> {texts().page.loading}
        </p>
      ) : (
        <>
          <p role="status" className="text-balance">
            {texts().session.notIdentified}
          </p>
          <Button onClick={() => setAttempt((before) => before + 1)}>{texts().page.tryAgain}</Button>
        </>
      )}
    </main>
  );
}
