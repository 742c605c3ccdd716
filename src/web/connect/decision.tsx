import { type ReactNode, useState } from 'react';
import type { AskingApp } from '../../contract/apps/connect-page.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { ConnectTexts } from '../texts/connect/en.ts';
import { Button } from '../ui/button.tsx';
import { Badge, Notice } from '../ui/notice.tsx';
import { useAttention } from '../ui/use-attention.ts';
import { type Answered, sendAnswer } from './answer.ts';
import { SignInAgain } from './sign-in-again.tsx';

interface Props {
  readonly app: AskingApp;
  /** The name of the deployment that the person knows. */
  readonly deployment: string;
  readonly t: ConnectTexts;
}

export function Decision({ app, deployment, t }: Props) {
  const hasAttention = useAttention();
  const [busy, setBusy] = useState<'allow' | 'deny'>();
  const [result, setResult] = useState<Answered>();
  const decide = async (answer: 'allow' | 'deny') => {
    setBusy(answer);
    const answered = await sendAnswer(app.requestId, answer);
    setBusy(undefined);
    setResult(answered);
    if (typeof answered === 'object') window.location.assign(answered.redirectUrl);
  };
  if (typeof result === 'object') return <Notice>{t.decided}</Notice>;
  if (result === 'unknown') return <Notice tone="warn">{t.unknown}</Notice>;
  return (
    <>
      <p>
        <AppName name={app.name} /> {t.asks(deployment)}
      </p>
      <Section title={t.who}>
        <Who app={app} t={t} />
      </Section>
      <Section title={t.account}>
        <p className="font-medium break-words">
          <bdi>{app.user}</bdi>
        </p>
        <p className="text-sm text-muted">{t.signedIn(app.issuerHost)}</p>
        <p className="text-sm text-muted">{t.notYou}</p>
      </Section>
      <Section title={t.canDo}>
        <ul className="flex list-disc flex-col gap-1 ps-5">
          {app.scopes.map((scope) => (
            <li key={scope}>{scope === 'conversations:read' ? t.read : t.write}</li>
          ))}
        </ul>
      </Section>
      <p className="text-sm text-muted">{t.lasts(LIMITS.appDays)}</p>
      {result === 'failed' && <Notice tone="danger">{t.failed}</Notice>}
      {result === 'expired' && (
        <>
          <Notice tone="warn">{t.expired}</Notice>
          <SignInAgain href={`/connect/${encodeURIComponent(app.requestId)}`} t={t} />
        </>
      )}
      {/* Not a form: Enter must not allow the access. Both answers look the same. */}
      <div className="grid grid-cols-2 gap-3">
        <Button busy={busy === 'deny'} disabled={busy === 'allow'} onClick={() => decide('deny')}>
          {t.deny}
        </Button>
        <Button
          busy={busy === 'allow'}
          disabled={busy === 'deny'}
          aria-disabled={!hasAttention || undefined}
          onClick={() => hasAttention && decide('allow')}
        >
          {t.allow}
        </Button>
      </div>
    </>
  );
}

/** Who asks, and where the access goes. The name proves nothing, so the page never shows it without quotes. */
function Who({ app: { name, host, redirectHost, isLoopback }, t }: Pick<Props, 'app' | 't'>) {
  return (
    <>
      <dl className="flex flex-col gap-3">
        <Fact name={t.name} note={t.nameNote}>
          <AppName name={name} />
        </Fact>
        <Fact name={t.website} note={host === null || isLoopback ? undefined : t.verified}>
          {host !== null && !isLoopback ? host : <Badge tone="warn">{t.unverified}</Badge>}
        </Fact>
        <Fact name={t.goesTo}>{isLoopback ? t.thisComputer(redirectHost) : redirectHost}</Fact>
      </dl>
      {(host === null || isLoopback) && (
        <Notice tone="warn">
          {isLoopback ? t.loopbackWarning : t.unverifiedWarning(redirectHost)} {t.onlyIfStarted}
        </Notice>
      )}
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly note?: string | undefined;
  readonly children: ReactNode;
}

function Fact({ name, note, children }: FactProps) {
  return (
    <div>
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="break-words">
        {children}
        {note !== undefined && <span className="block text-sm text-muted">{note}</span>}
      </dd>
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** A name from outside. It cannot change the direction of the text around it. */
function AppName({ name }: { readonly name: string }) {
  return (
    <span className="font-medium break-words">
      “<bdi>{name}</bdi>”
    </span>
  );
}
