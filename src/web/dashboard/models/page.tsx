import { Link } from 'wouter';
import { CodeBlock } from '../../ui/code.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame, ReadOnlyNotice, Section } from '../frame/page-frame.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { AVAILABLE_MODELS, type Provider } from './documents.ts';
import { OfferedModels } from './offered-models.tsx';
import { PROVIDER_FACTS, variablesOf } from './provider-facts.ts';
import { TestSection } from './test-section.tsx';

/** The providers of models, what they offer, and a test call. */
export function Page() {
  const canWrite = usePermission('workflows:write');
  const query = useServiceQuery(AVAILABLE_MODELS, {});
  return (
    <PageFrame title="Models" lead={<Lead />}>
      <Loaded query={query}>
        {({ availableModels: { defaultModel, providers } }) => (
          <>
            {canWrite ? <TestSection defaultModel={defaultModel} /> : <ReadOnlyNotice subject="models" />}
            {configuredFirst(providers).map((provider) => (
              <ProviderSection key={provider.name} provider={provider} />
            ))}
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

function Lead() {
  const href = useHref();
  return (
    <>
      The providers of this service and their models. Prices are under{' '}
      <Link to={href('/usage')} className="text-accent underline">
        Usage and cost
      </Link>
      .
    </>
  );
}

function configuredFirst(providers: readonly Provider[]): readonly Provider[] {
  return providers.toSorted((one, other) => Number(other.isConfigured) - Number(one.isConfigured));
}

function ProviderSection({ provider: { name, isConfigured } }: { readonly provider: Provider }) {
  const { title } = PROVIDER_FACTS[name as keyof typeof PROVIDER_FACTS];
  return (
    <Section
      title={title}
      actions={<Badge tone={isConfigured ? 'ok' : 'neutral'}>{isConfigured ? 'Configured' : 'Not configured'}</Badge>}
    >
      {isConfigured ? <OfferedModels provider={name} /> : <SetUp provider={name as keyof typeof PROVIDER_FACTS} />}
    </Section>
  );
}

/** What the operator sets so that the models of a provider can run. */
function SetUp({ provider }: { readonly provider: keyof typeof PROVIDER_FACTS }) {
  const { title, serves } = PROVIDER_FACTS[provider];
  return (
    <div className="flex flex-col gap-3">
      <p>
        {serves} The operator of this service sets these variables and restarts it. The last one makes a model the
        default of all workflows.
      </p>
      <CodeBlock text={variablesOf(provider)} label="Environment variables" copyLabel={`Copy for ${title}`} />
    </div>
  );
}
