import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/code.tsx';
import { Icon } from '../ui/icon.tsx';
import { MAIN_ID, SkipLink } from '../ui/skip-link.tsx';
import { firstRequests } from './requests.ts';
import { TryIt } from './try-it.tsx';

/** The data that the service puts into the page. */
export interface LandingData {
  /** Whether the GraphQL explorer and the REST reference are enabled. */
  readonly reference: boolean;
  /** The hosted pages of the demo deployments that exist. */
  readonly demos: readonly { readonly name: string; readonly path: string; readonly deploymentId: string }[];
}

/** The start page of the service: a chat with the demo, links to its pages and first requests. */
export function Landing({ reference, demos }: LandingData) {
  const agent = demos.find(({ path }) => path.startsWith('/agent'));
  const chat = agent ?? demos[0];
  return (
    <div className="mx-auto flex min-h-dvh max-w-4xl flex-col gap-10 px-5 py-12 md:py-20">
      <SkipLink />
      <header>
        <p className="font-medium text-accent">Parley</p>
        <h1 className="mt-1 text-3xl font-semibold text-balance md:text-4xl">Conversational agent service</h1>
        <p className="mt-4 max-w-2xl text-lg text-muted">
          Parley runs your assistants and stores their conversations. A conversation can wait for its user, and it
          continues after a reload or a server restart.
        </p>
      </header>
      <main id={MAIN_ID} tabIndex={-1} className="flex flex-col gap-10 outline-none">
        {chat && <TryIt path={chat.path} />}
        <ul className="grid gap-3 sm:grid-cols-2">
          <PageLink href="/dashboard" name="Dashboard">
            Monitor conversations, build assistants, manage API keys.
          </PageLink>
          {demos.map(({ name, path }) => (
            <PageLink key={path} href={path} name={name}>
              {path.startsWith('/agent') ? 'Agent with questions, uploads and tools.' : 'Streaming chat.'}
            </PageLink>
          ))}
          <PageLink href="/docs/guides" name="Guides">
            Concepts, APIs, SDK and operations.
          </PageLink>
          {reference && (
            <>
              <PageLink href="/graphql" name="GraphQL explorer">
                Browse the schema and run operations with your API key.
              </PageLink>
              <PageLink href="/docs" name="REST reference">
                Read about every path and send requests.
              </PageLink>
            </>
          )}
        </ul>
        <FirstRequests deploymentId={agent?.deploymentId} />
        {reference && (
          <footer className="text-sm text-muted">
            For tools: <FileLink href="/schema.graphql">schema.graphql</FileLink> and{' '}
            <FileLink href="/openapi.json">openapi.json</FileLink>
          </footer>
        )}
      </main>
    </div>
  );
}

function PageLink({
  href,
  name,
  children,
}: {
  readonly href: string;
  readonly name: string;
  readonly children: ReactNode;
}) {
  return (
    <li>
      <a
        href={href}
        className="flex h-full items-center justify-between gap-4 rounded-xl border border-line bg-surface p-4 hover:border-accent"
      >
        <span>
          <span className="font-medium">{name}</span>
          <span className="block text-sm text-muted">{children}</span>
        </span>
        <Icon name="chevron" className="size-5 text-muted" />
      </a>
    </li>
  );
}

function FirstRequests({ deploymentId = 'YOUR_DEPLOYMENT_ID' }: { readonly deploymentId?: string | undefined }) {
  return (
    <section aria-labelledby="first-requests" className="flex flex-col gap-3">
      <h2 id="first-requests" className="text-lg font-semibold">
        The same from your program
      </h2>
      <p className="text-sm text-muted">
        The service printed an API key when it started for the first time. Create more keys in the dashboard.
      </p>
      {firstRequests(window.location.origin, deploymentId).map(({ label, text }) => (
        <CodeBlock key={label} label={label} text={text} copyLabel={`Copy ${label}`} />
      ))}
    </section>
  );
}

function FileLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} className="text-accent underline">
      {children}
    </a>
  );
}
