import { enumValueOf } from '../../../contract/enum-names.ts';
import { useDeployments } from '../deployment-names/deployment-names.tsx';
import { useEnvironment } from '../location.ts';

/** The empty state of the charts: how to start a first turn. */
export function NoTurns({ days }: { readonly days: number }) {
  const environment = useEnvironment();
  const pages = useDeployments().filter(({ hostedPage, publishedVersion }) => hostedPage && publishedVersion !== null);
  return (
    <div className="flex flex-col items-center gap-3 rounded-xl border border-dashed border-line p-8 text-center">
      <p className="font-medium">No turns in the last {days} days</p>
      {environment === 'test' ? (
        <p className="text-muted">Send a turn with an API key of the test environment. It appears here.</p>
      ) : (
        <>
          <p className="text-muted">
            {pages.length > 0
              ? 'Start a conversation on one of your hosted pages. Its turns appear here.'
              : 'Turn on the hosted page of a deployment, or send a turn with an API key.'}
          </p>
          <ul className="flex flex-wrap justify-center gap-2">
            {pages.slice(0, 4).map(({ deploymentId, name, kind }) => (
              <li key={deploymentId}>
                <a
                  href={`/${enumValueOf(kind)}/${deploymentId}`}
                  target="_blank"
                  rel="noreferrer"
                  className="inline-flex min-h-10 items-center rounded-lg border border-line bg-surface px-4 font-medium hover:bg-sunken"
                >
                  Try {name}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
