import { useEffect } from 'react';
import type { ConnectPageData, ConnectProblem } from '../../contract/apps/connect-page.ts';
import type { ConnectTexts } from '../texts/connect/en.ts';
import { Notice } from '../ui/notice.tsx';
import { Decision } from './decision.tsx';
import { SignInAgain } from './sign-in-again.tsx';

interface Props {
  readonly data: ConnectPageData;
  readonly t: ConnectTexts;
}

/** The page on which an end user allows or denies the access that an app asks for. */
export function ConnectPage({ data: { app, branding, problem, retry }, t }: Props) {
  useEffect(() => {
    document.title = app ? `${t.title} · ${branding?.name ?? app.deployment}` : t.title;
  }, [app, branding, t]);
  return (
    <main className="mx-auto flex min-h-dvh max-w-xl flex-col gap-6 p-6 sm:py-12">
      <header className="flex items-center gap-3">
        {branding?.logoUrl && <img src={branding.logoUrl} alt="" className="h-8 max-w-32 shrink-0 object-contain" />}
        <h1 className="min-w-0 text-2xl font-semibold text-balance">{t.title}</h1>
      </header>
      {app ? (
        <Decision app={app} deployment={branding?.name ?? app.deployment} t={t} />
      ) : (
        <Problem problem={problem ?? 'unknown'} retry={retry} t={t} />
      )}
    </main>
  );
}

interface ProblemProps extends Pick<Props, 't'> {
  readonly problem: ConnectProblem;
  readonly retry: string | undefined;
}

function Problem({ problem, retry, t }: ProblemProps) {
  const texts = { unknown: t.unknown, sign_in_failed: t.signInFailed, sign_in_denied: t.signInDenied };
  return (
    <>
      <Notice tone="warn">{texts[problem]}</Notice>
      {retry !== undefined && <SignInAgain href={retry} t={t} />}
    </>
  );
}
