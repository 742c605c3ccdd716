import type { ReactNode } from 'react';
import { Code } from '../ui/code.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';

/** What the service says of itself. */
export interface LandingData {
  /** Whether the explorer and the REST reference are there. */
  readonly reference: boolean;
  /** The demo's hosted pages, as long as they are there. */
  readonly demos: readonly { readonly name: string; readonly path: string; readonly deploymentId: string }[];
}

/** What runs here, and where to go from it. */
export function Landing({ reference, demos }: LandingData) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-4xl flex-col gap-10 px-5 py-12 md:py-20">
      <header>
        <p className="font-medium text-accent">Parley</p>
        <h1 className="mt-1 text-3xl font-semibold text-balance md:text-4xl">
          A conversational agent service runs here
        </h1>
        <p className="mt-4 max-w-2xl text-lg text-muted">
          It answers for a company's assistants, and keeps their conversations: one can wait for its user, outlive its
          page and its server, and goes on where it was.
        </p>
      </header>
      <ul className="grid gap-3 sm:grid-cols-2">
        <Place href="/dashboard" name="Dashboard">
          Watch what is going on, build assistants, hand out keys.
        </Place>
        {demos.map(({ name, path }) => (
          <Place key={path} href={path} name={name}>
            {path.startsWith('/agent')
              ? 'An agent that asks, waits and finishes.'
              : 'A chat whose words appear as they are made.'}
          </Place>
        ))}
        {reference && (
          <>
            <Place href="/graphql" name="GraphQL explorer">
              The whole schema, with a field for your key.
            </Place>
            <Place href="/docs" name="REST reference">
              Every path, to be tried out.
            </Place>
          </>
        )}
      </ul>
      <FirstRequest deploymentId={demos.find(({ path }) => path.startsWith('/agent'))?.deploymentId} />
      {reference && (
        <footer className="text-sm text-muted">
          For tools: <OwnLink href="/schema.graphql">schema.graphql</OwnLink> and{' '}
          <OwnLink href="/openapi.json">openapi.json</OwnLink>
        </footer>
      )}
    </main>
  );
}

function Place({
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

/** A request to paste. The key is whoever's who pastes it. */
function FirstRequest({ deploymentId = 'YOUR_DEPLOYMENT_ID' }: { readonly deploymentId?: string | undefined }) {
  const command = [
    `curl -s ${window.location.origin}/v2/runner/${deploymentId}/conversation \\`,
    "  -H 'x-api-key: YOUR_KEY' -H 'Content-Type: application/json' \\",
    `  -d '{"content":[{"type":"text","text":"Hello"}]}'`,
  ].join('\n');
  return (
    <section aria-labelledby="first-request">
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 id="first-request" className="text-lg font-semibold">
          A first request
        </h2>
        <CopyButton text={command} label="Copy command" />
      </div>
      <Code className="rounded-xl border border-line bg-sunken">{command}</Code>
      <p className="mt-2 text-sm text-muted">
        A key was shown when the service started for the first time; the dashboard makes more of them.
      </p>
    </section>
  );
}

function OwnLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} className="text-accent underline">
      {children}
    </a>
  );
}
