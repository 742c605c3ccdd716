import type { WorkflowConfigInput } from '../../src/domain/workflows/config.ts';
import { textContent } from './agent-apis.ts';
import type { HttpResponse } from './client.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { startService, type TestService } from './service.ts';
import { makeDeployment } from './tenants.ts';

/** A service whose model is a provider that the test controls. */
export interface ProviderService {
  readonly service: TestService;
  readonly provider: FakeProvider;
  /** Publishes an agent. Returns its deployment. */
  agent(config?: WorkflowConfigInput): Promise<string>;
  /** A v2 turn of an agent. Its default content is a greeting. */
  turn(deploymentId: string, fields?: object): Promise<HttpResponse>;
  close(): Promise<void>;
}

export async function startProviderService(
  overrides: Parameters<typeof startService>[0] = {},
): Promise<ProviderService> {
  const provider = await startFakeProvider();
  const openai = { apiKey: 'a-key', baseUrl: provider.url };
  const service = await startService({
    defaultModel: 'openai-compatible:test',
    providers: { openai, anthropic: openai },
    ...overrides,
  });
  return {
    service,
    provider,
    agent: async (config = {}) => (await makeDeployment(service, config, { kind: 'agent' })).id,
    turn: (deploymentId, fields = {}) => {
      const content = 'tool_results' in fields ? {} : { content: textContent('Hello') };
      return service.send('POST', `/v2/runner/${deploymentId}/conversation`, { body: { ...content, ...fields } });
    },
    async close() {
      await service.close();
      await provider.close();
    },
  };
}
