import type { HttpResponse } from '../../../test/support/client.ts';
import { type Call, type MaybeResponse, newKey } from '../caller.ts';
import type { Action } from '../context.ts';
import type { KnownConversation, PendingCall } from './conversation.ts';

/** The results for all calls of a round. */
type Results = readonly { readonly call_id: string; readonly output: object }[];

/**
 * Resolves a round as clients do: once, twice with the same results at two processes, or with two racing sets of
 * results. Returns the response to the accepted results. Undefined if the service no longer waits for them.
 */
export async function resolveRound(
  action: Action,
  known: KnownConversation,
  calls: readonly PendingCall[],
): Promise<HttpResponse | undefined> {
  const { random, journal } = action;
  const [own, other] = [resultsOf(calls, `${action.tag} one`), resultsOf(calls, `${action.tag} two`)];
  const mode = random.weighted({ once: 5, twice: 3, race: 3 });
  const first = random.index(3);
  const sent: [Results, Promise<MaybeResponse>][] = [[own, send(action, known, own, first)]];
  if (mode === 'twice') sent.push([own, send(action, known, own, first + 1)]);
  if (mode === 'race') sent.push([other, send(action, known, other, first + 1)]);
  const attempts = await Promise.all(sent.map(async ([results, received]) => ({ results, response: await received })));
  attempts.push(...(await retryResults(action, known, attempts, [own, other])));
  const taken = attempts.filter(({ response }) => response?.status === 200);
  const [winner] = taken;
  if (!winner?.response) return undefined;
  const isConsistent = taken.every(({ results }) => results === winner.results);
  journal.check(
    'a round accepts one set of results',
    isConsistent,
    () => `conversation ${known.id}: ${JSON.stringify(attempts)}`,
  );
  const bodies = new Set(taken.map(({ response }) => JSON.stringify({ ...response?.body, request_id: null })));
  journal.check('a retry gets the first response', bodies.size === 1, () => [...bodies].join('\n'));
  const outputs = new Map(winner.results.map(({ call_id, output }) => [call_id, output]));
  journal.rounds.push({ conversationId: known.id, outputs });
  return winner.response;
}

/** If no response is known, retries the first results, and the second ones if those conflict. */
async function retryResults(
  action: Action,
  known: KnownConversation,
  attempts: readonly { readonly response: MaybeResponse }[],
  sets: readonly Results[],
): Promise<{ readonly results: Results; readonly response: MaybeResponse }[]> {
  if (attempts.some(({ response }) => response?.status === 200)) return [];
  for (const results of sets) {
    const { response } = await action.caller.sendUntilResponse(callOf(action, known, results), action.random);
    if (response?.status === 200) return [{ results, response: response }];
    if (response?.body.error?.code !== 'action_result_conflict') break;
  }
  const detail = () => `conversation ${known.id}: ${JSON.stringify(attempts)}`;
  action.journal.check('a waiting round accepts results', false, detail);
  return [];
}

function send(action: Action, known: KnownConversation, results: Results, process: number): Promise<MaybeResponse> {
  const key = action.random.chance(0.3) ? newKey() : undefined;
  return action.caller.sendOnce({ ...callOf(action, known, results), idempotencyKey: key }, process);
}

function callOf(_action: Action, known: KnownConversation, results: Results): Call {
  return {
    kind: 'resume',
    method: 'POST',
    path: `/v2/runner/${known.deploymentId}/conversation`,
    body: { conversation_id: known.id, tool_results: results },
    expectedCodes: ['action_result_conflict'],
  };
}

function resultsOf(calls: readonly PendingCall[], word: string): Results {
  return calls.map(({ call_id, name, arguments: input }) => ({
    call_id,
    output: name === 'ask_user' ? { answers: answersTo(input.questions, word) } : { name: word, notes: [1, null, {}] },
  }));
}

function answersTo(questions: unknown, word: string): object[] {
  return (questions as readonly { id: string; input_type: string }[]).map(({ id, input_type }) => ({
    id,
    value: input_type === 'multi_select' ? [word, 'other'] : word,
  }));
}
