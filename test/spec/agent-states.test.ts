import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_APIS, type AgentApi, type TurnOutcome, textContent } from '../support/agent-apis.ts';
import { makeLegacyRun } from '../support/legacy-run.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const CAPABILITIES = ['lookup_customer'];
const RESULT = { name: 'Ann' };

/** A conversation in a prepared state, and the call IDs that the requests below name. */
interface Scenario {
  readonly conversationId: string;
  readonly callId: string;
}

async function pausedScene(
  api: AgentApi,
  script = '/call lookup_customer {"customer_id":"c1"}\n/say done',
): Promise<Scenario> {
  const turn = await api.turn(service, { content: textContent(script), client_capabilities: CAPABILITIES });
  expect(turn.runStatus).toBe('waiting_for_client_action');
  return { conversationId: turn.conversationId ?? '', callId: turn.calls?.[0]?.call_id ?? '' };
}

async function resume(
  api: AgentApi,
  { conversationId, callId }: Scenario,
  output: unknown = RESULT,
): Promise<TurnOutcome> {
  return api.turn(service, { conversation_id: conversationId, tool_results: [{ call_id: callId, output }] });
}

const STATES: Record<string, (api: AgentApi) => Promise<Scenario>> = {
  'whose run completed': async (api) => {
    const scenario = await pausedScene(api);
    expect(await resume(api, scenario)).toMatchObject({ status: 200, runStatus: 'completed', content: 'done' });
    return scenario;
  },
  'whose run is running': async (api) => {
    const scenario = await pausedScene(api, '/call lookup_customer {"customer_id":"c1"}\n/slow 60');
    void resume(api, scenario).catch(() => undefined);
    await waitForStatus(scenario, 'running');
    return scenario;
  },
  'that waits for its client': (api) => pausedScene(api),
  'whose run was interrupted': async (api) => {
    const scenario = await pausedScene(api, '/call lookup_customer {"customer_id":"c1"}\n/fail');
    expect(await resume(api, scenario)).toMatchObject({ status: 200, runStatus: 'interrupted', content: '' });
    return scenario;
  },
  'whose run failed': async (api) => {
    const scenario = await pausedScene(api);
    await resume(api, scenario);
    const failed = await api.turn(service, {
      conversation_id: scenario.conversationId,
      content: textContent('/fail'),
    });
    expect(failed).toMatchObject({ status: 502, code: 'model_error' });
    return scenario;
  },
  'whose legacy run has expired': () => makeLegacyRun(service, new Date(Date.now() - 1_000)),
  'whose legacy run has not expired': () => makeLegacyRun(service, new Date(Date.now() + 60_000)),
  'that is completed': async (api) => {
    const scenario = await pausedScene(api, '/call lookup_customer {"customer_id":"c1"}\n/complete\n/say bye');
    expect(await resume(api, scenario)).toMatchObject({ status: 200, content: 'bye' });
    return scenario;
  },
};

async function waitForStatus({ conversationId }: Scenario, status: string): Promise<void> {
  await until(async () => (await read(conversationId)).run_status === status);
}

async function read(conversationId: string) {
  const { body } = await service.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return body;
}

const REQUESTS: Record<string, (api: AgentApi, scene: Scenario) => Promise<TurnOutcome>> = {
  continue: (api, scenario) =>
    api.turn(service, { conversation_id: scenario.conversationId, content: textContent('Continue.') }),
  'resume with a result': (api, scenario) => resume(api, scenario),
  'resume with another result': (api, scenario) => resume(api, scenario, { name: 'Bob' }),
  'resume without results': (api, scenario) =>
    api.turn(service, { conversation_id: scenario.conversationId, tool_results: [] }),
  'resume of an unknown call': (api, scenario) => resume(api, { ...scenario, callId: 'call_unknown' }),
  'resume with no object': (api, scenario) => resume(api, scenario, 'Ann'),
};

const OK = 'completed';
/** State → request → outcome (a run status or an error code), and the run's status afterwards. */
const TABLE: Record<string, Record<string, readonly [answer: string, next: string | null]>> = {
  'whose run completed': {
    continue: [OK, OK],
    'resume with a result': [OK, OK],
    'resume with another result': ['action_result_conflict', OK],
    'resume without results': ['unknown_call_id', OK],
    'resume of an unknown call': ['unknown_call_id', OK],
    'resume with no object': ['invalid_tool_result', OK],
  },
  'whose run is running': {
    continue: ['run_in_progress', 'running'],
    'resume with another result': ['action_result_conflict', 'running'],
    'resume without results': ['unknown_call_id', 'running'],
    'resume of an unknown call': ['unknown_call_id', 'running'],
    'resume with no object': ['invalid_tool_result', 'running'],
  },
  'that waits for its client': {
    continue: ['client_action_required', 'waiting_for_client_action'],
    'resume with a result': [OK, OK],
    'resume with another result': [OK, OK],
    'resume without results': ['missing_tool_results', 'waiting_for_client_action'],
    'resume of an unknown call': ['unknown_call_id', 'waiting_for_client_action'],
    'resume with no object': ['invalid_tool_result', 'waiting_for_client_action'],
  },
  'whose run was interrupted': {
    continue: [OK, OK],
    'resume with a result': ['interrupted', 'interrupted'],
    'resume with another result': ['action_result_conflict', 'interrupted'],
    'resume without results': ['unknown_call_id', 'interrupted'],
    'resume of an unknown call': ['unknown_call_id', 'interrupted'],
    'resume with no object': ['invalid_tool_result', 'interrupted'],
  },
  'whose run failed': {
    continue: [OK, OK],
    'resume with a result': [OK, 'failed'],
    'resume with another result': ['action_result_conflict', 'failed'],
    'resume without results': ['unknown_call_id', 'failed'],
    'resume of an unknown call': ['unknown_call_id', 'failed'],
    'resume with no object': ['invalid_tool_result', 'failed'],
  },
  'whose legacy run has expired': {
    continue: ['client_action_required', null],
    'resume with a result': ['run_expired', null],
    'resume with another result': ['run_expired', null],
    'resume without results': ['run_expired', null],
    'resume of an unknown call': ['unknown_call_id', null],
    'resume with no object': ['invalid_tool_result', null],
  },
  'whose legacy run has not expired': {
    continue: ['client_action_required', null],
    'resume with a result': [OK, null],
    'resume without results': ['missing_tool_results', null],
  },
  'that is completed': Object.fromEntries(
    Object.keys(REQUESTS).map((request) => [request, ['conversation_completed', OK] as const]),
  ),
};

const STATUS_OF: Record<string, number> = {
  completed: 200,
  interrupted: 200,
  invalid_tool_result: 400,
  missing_tool_results: 400,
  unknown_call_id: 400,
};

for (const api of AGENT_APIS) {
  describe(`through ${api.name}`, () => {
    for (const [state, requests] of Object.entries(TABLE)) {
      for (const [request, [response, next]] of Object.entries(requests)) {
        it(`returns ${response} for ${request} on a conversation ${state}`, async () => {
          const scenario = await STATES[state]?.(api);
          const outcome = scenario && (await REQUESTS[request]?.(api, scenario));
          expect(outcome?.code ?? outcome?.runStatus).toBe(response);
          expect(outcome?.status).toBe(STATUS_OF[response] ?? 409);
          const after = await read(scenario?.conversationId ?? '');
          expect(after.run_status).toBe(next);
          expect(after.conversation_status).toBe(state === 'that is completed' ? 'completed' : 'active');
        });
      }
    }

    it('returns the first outcome to retries with the same results, also while the run is running', async () => {
      const scenario = await pausedScene(api, '/call lookup_customer {"customer_id":"c1"}\n/slow 0.5\n/say once');
      const responses = await Promise.all([resume(api, scenario), resume(api, scenario), resume(api, scenario)]);
      for (const response of responses) expect(response).toEqual({ ...responses[0], status: 200, content: 'once' });
      expect((await read(scenario.conversationId)).total).toBe(2);
    });

    it('rejects a retry of the same results for an expired legacy run', async () => {
      const scenario = await makeLegacyRun(service, new Date(Date.now() - 1_000));
      expect(await resume(api, scenario)).toMatchObject({ status: 409, code: 'run_expired' });
      expect(await resume(api, scenario)).toMatchObject({ status: 409, code: 'run_expired' });
      const next = await api.turn(service, {
        conversation_id: scenario.conversationId,
        content: textContent('Hello'),
      });
      expect(next).toMatchObject({ status: 200, content: 'You said: Hello' });
    });
  });
}
