import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOORS, type Door, type Outcome, text } from '../support/doors.ts';
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

/** A conversation brought into a state, and the call ids that the requests below speak of. */
interface Scene {
  readonly conversationId: string;
  readonly callId: string;
}

async function paused(door: Door, script = '/call lookup_customer {"customer_id":"c1"}\n/say done'): Promise<Scene> {
  const turn = await door.turn(service, { content: text(script), client_capabilities: CAPABILITIES });
  expect(turn.runStatus).toBe('waiting_for_client_action');
  return { conversationId: turn.conversationId ?? '', callId: turn.calls?.[0]?.call_id ?? '' };
}

async function resume(door: Door, { conversationId, callId }: Scene, output: unknown = RESULT): Promise<Outcome> {
  return door.turn(service, { conversation_id: conversationId, tool_results: [{ call_id: callId, output }] });
}

const STATES: Record<string, (door: Door) => Promise<Scene>> = {
  'whose run completed': async (door) => {
    const scene = await paused(door);
    expect(await resume(door, scene)).toMatchObject({ status: 200, runStatus: 'completed', content: 'done' });
    return scene;
  },
  'whose run is running': async (door) => {
    const scene = await paused(door, '/call lookup_customer {"customer_id":"c1"}\n/slow 60');
    void resume(door, scene).catch(() => undefined);
    await reaches(scene, 'running');
    return scene;
  },
  'that waits for its client': (door) => paused(door),
  'whose run was interrupted': async (door) => {
    const scene = await paused(door, '/call lookup_customer {"customer_id":"c1"}\n/fail');
    expect(await resume(door, scene)).toMatchObject({ status: 200, runStatus: 'interrupted', content: '' });
    return scene;
  },
  'whose run failed': async (door) => {
    const scene = await paused(door);
    await resume(door, scene);
    const failed = await door.turn(service, { conversation_id: scene.conversationId, content: text('/fail') });
    expect(failed).toMatchObject({ status: 502, code: 'model_error' });
    return scene;
  },
  'whose legacy run is past its time': () => makeLegacyRun(service, new Date(Date.now() - 1_000)),
  'whose legacy run still has time': () => makeLegacyRun(service, new Date(Date.now() + 60_000)),
  'that is completed': async (door) => {
    const scene = await paused(door, '/call lookup_customer {"customer_id":"c1"}\n/complete\n/say bye');
    expect(await resume(door, scene)).toMatchObject({ status: 200, content: 'bye' });
    return scene;
  },
};

async function reaches({ conversationId }: Scene, status: string): Promise<void> {
  await until(async () => (await read(conversationId)).run_status === status);
}

async function read(conversationId: string) {
  const { body } = await service.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  return body;
}

const REQUESTS: Record<string, (door: Door, scene: Scene) => Promise<Outcome>> = {
  continue: (door, scene) => door.turn(service, { conversation_id: scene.conversationId, content: text('Continue.') }),
  'resume with a result': (door, scene) => resume(door, scene),
  'resume with another result': (door, scene) => resume(door, scene, { name: 'Bob' }),
  'resume without results': (door, scene) =>
    door.turn(service, { conversation_id: scene.conversationId, tool_results: [] }),
  'resume of an unknown call': (door, scene) => resume(door, { ...scene, callId: 'call_unknown' }),
  'resume with no object': (door, scene) => resume(door, scene, 'Ann'),
};

const OK = 'completed';
/** State → request → what is answered (a run status, or an error code), and the run's status afterwards. */
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
  'whose legacy run is past its time': {
    continue: ['client_action_required', null],
    'resume with a result': ['run_expired', null],
    'resume with another result': ['run_expired', null],
    'resume without results': ['run_expired', null],
    'resume of an unknown call': ['unknown_call_id', null],
    'resume with no object': ['invalid_tool_result', null],
  },
  'whose legacy run still has time': {
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

for (const door of DOORS) {
  describe(`over ${door.name}`, () => {
    for (const [state, requests] of Object.entries(TABLE)) {
      for (const [request, [answer, next]] of Object.entries(requests)) {
        it(`answers ${answer} to ${request} on a conversation ${state}`, async () => {
          const scene = await STATES[state]?.(door);
          const outcome = scene && (await REQUESTS[request]?.(door, scene));
          expect(outcome?.code ?? outcome?.runStatus).toBe(answer);
          expect(outcome?.status).toBe(STATUS_OF[answer] ?? 409);
          const after = await read(scene?.conversationId ?? '');
          expect(after.run_status).toBe(next);
          expect(after.conversation_status).toBe(state === 'that is completed' ? 'completed' : 'active');
        });
      }
    }

    it('gives a retry of the same results the outcome of the first, also while that still runs', async () => {
      const scene = await paused(door, '/call lookup_customer {"customer_id":"c1"}\n/slow 0.5\n/say once');
      const answers = await Promise.all([resume(door, scene), resume(door, scene), resume(door, scene)]);
      for (const answer of answers) expect(answer).toEqual({ ...answers[0], status: 200, content: 'once' });
      expect((await read(scene.conversationId)).total).toBe(2);
    });

    it('refuses the expired legacy run again when the same results come again', async () => {
      const scene = await makeLegacyRun(service, new Date(Date.now() - 1_000));
      expect(await resume(door, scene)).toMatchObject({ status: 409, code: 'run_expired' });
      expect(await resume(door, scene)).toMatchObject({ status: 409, code: 'run_expired' });
      const next = await door.turn(service, { conversation_id: scene.conversationId, content: text('Hello') });
      expect(next).toMatchObject({ status: 200, content: 'You said: Hello' });
    });
  });
}
