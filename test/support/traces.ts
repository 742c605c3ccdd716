import { expect } from 'vitest';
import { textContent } from './agent-apis.ts';
import type { HttpResponse } from './client.ts';
import { type ProviderService, startProviderService } from './provider-service.ts';

/** What only a trace contains: the argument of a server tool. */
export const SECRET_ARGUMENT = 'argument-that-only-the-trace-shows';

const SPANS = `spans(first: 100) { nodes { __typename step durationMs requestId isTruncated
  ... on ModelStepSpan { model attempts inputTokens outputTokens cost finishReason failureReason error
    failedAttempts { message status body } prompt { instructions messages messagesLeftOut tools } answer { text calls } }
  ... on ToolCallSpan { tool callId status arguments result } } }`;

/** A run with its failure and its trace. */
export const RUN = `query ($id: ID!) { run(id: $id) { status requestId failure { reason message advice }
  trace { runId deploymentId workflowVersion requestId keptUntil ${SPANS} } } }`;

/** A service whose runs have traces. */
export interface TracingService extends ProviderService {
  /** The deployment of the turns. */
  readonly deploymentId: string;
  /** Reads a run with its trace. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of the response
  readRun(id: string, key?: string): Promise<any>;
  /** Reads a trace over REST. */
  restTrace(id: string, key?: string | null, query?: string): Promise<HttpResponse>;
  /** A turn whose model calls a server tool and then replies. Returns its run. */
  toolTurn(text?: string): Promise<string>;
  /** A turn that fails with this status of the provider. Returns its run. */
  failedTurn(status: number, body?: string): Promise<string>;
}

export async function startTracingService(): Promise<TracingService> {
  const host = await startProviderService();
  const { service, provider } = host;
  const deploymentId = await host.agent({ instructions: 'Help {{NAME}}.', resourceTools: ['create_resource'] });
  return {
    ...host,
    deploymentId,
    async readRun(id, key = service.keys.live) {
      const { body } = await service.graphql(RUN, { id }, { key });
      expect(body.errors).toBeUndefined();
      return body.data.run;
    },
    restTrace: (id, key = service.keys.live, query = '') =>
      service.send('GET', `/v1/runs/${id}/trace${query}`, { key }),
    async toolTurn(text = 'Remember this') {
      const call = { type: 'note', fields: { note: SECRET_ARGUMENT } };
      provider.reply(
        {
          kind: 'answer',
          calls: [{ name: 'create_resource', arguments: JSON.stringify(call) }],
          usage: { input: 1_000, cached: 800, output: 20 },
        },
        { kind: 'answer', deltas: ['I wrote ', 'it down.'], usage: { input: 2_000, output: 30 } },
      );
      const { status, body } = await host.turn(deploymentId, {
        content: textContent(text),
        variables: { NAME: 'Ada' },
      });
      expect(status).toBe(200);
      return body.run_id;
    },
    async failedTurn(status, body) {
      provider.reply({ kind: 'status', status, headers: { 'retry-after-ms': '1' }, ...(body && { body }) });
      const response = await host.turn(deploymentId);
      expect(response.status).toBe(502);
      return response.body.error.run_id;
    },
  };
}
