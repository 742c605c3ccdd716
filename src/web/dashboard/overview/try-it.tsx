import { useDeployments } from '../deployment-names/deployment-names.tsx';
import { useEnvironment } from '../location.ts';

/** What is said before there is anything to show: how the first turn comes to be. */
export function TryIt({ days }: { readonly days: number }) {
  const environment = useEnvironment();
  const pages = useDeployments().filter(({ hostedPage, publishedVersion }) => hostedPage && publishedVersion !== null);
  return (
    <div className="flex flex-col items-center gap-3 rounded-xl border border-dashed border-line p-8 text-center">
      <p className="font-medium">No turn in the last {days} days</p>
      {environment === 'test' ? (
        <p className="text-muted">Send one with an API key of the test environment: it is counted here.</p>
      ) : (
        <>
          <p className="text-muted">
            {pages.length > 0
              ? 'Have a talk on a page of yours: it is counted here as it goes.'
              : 'Switch on the hosted page of a deployment, or send a turn with an API key.'}
          </p>
          <ul className="flex flex-wrap justify-center gap-2">
            {pages.slice(0, 4).map(({ deploymentId, name, kind }) => (
              <li key={deploymentId}>
                <a
                  href={`/${kind}/${deploymentId}`}
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
