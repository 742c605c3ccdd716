import { Notice } from '../../ui/notice.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { useServiceQuery } from '../requests.ts';
import { OFFERED_MODELS, type Offer } from './documents.ts';

/** What a provider answered when the service asked for its models. */
export function OfferedModels({ provider }: { readonly provider: string }) {
  const query = useServiceQuery(OFFERED_MODELS, {});
  return (
    <Loaded query={query} skeleton={<Skeleton rows={2} />}>
      {({ availableModels: { providers } }) => {
        const offer = providers.find(({ name }) => name === provider)?.offer;
        return offer && <Answer {...offer} />;
      }}
    </Loaded>
  );
}

function Answer({ models, failure, askedAt }: NonNullable<Offer>) {
  if (failure) {
    return (
      <Notice tone="danger">
        {failure.message} {failure.advice}
      </Notice>
    );
  }
  if (models.length === 0) {
    return <p className="text-muted">The provider lists no models. Enter the name of a model to test it.</p>;
  }
  return (
    <details className="group">
      <summary className="cursor-pointer rounded-lg hover:text-accent">
        {`${countOf(models.length, 'model')}, asked `}
        <Time at={askedAt} />
      </summary>
      <ul className="mt-3 gap-x-6 font-mono text-sm sm:columns-2 lg:columns-3">
        {models.map((model) => (
          <li key={model} className="wrap-anywhere py-0.5">
            {model}
          </li>
        ))}
      </ul>
    </details>
  );
}
