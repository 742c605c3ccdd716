import type { Answer } from '../../../test/support/client.ts';
import { type Call, newKey, type Told } from '../caller.ts';
import type { Move } from '../stage.ts';
import type { Known, PendingCall } from './conversation.ts';

/** Results for all calls of a round: call id and output. */
type Results = readonly { readonly call_id: string; readonly output: object }[];

/**
 * Answers a round in one of the ways in which clients do: once, the same twice at two processes, or different answers
 * that race. Answers what the service said of those that it took; undefined where it does not wait for them any more.
 */
export async function resolveRound(
  move: Move,
  known: Known,
  calls: readonly PendingCall[],
): Promise<Answer | undefined> {
  const { random, journal } = move;
  const [mine, other] = [resultsOf(calls, `${move.tag} one`), resultsOf(calls, `${move.tag} two`)];
  const way = random.weighted({ once: 5, twice: 3, race: 3 });
  const first = random.index(3);
  const sent: [Results, Promise<Told>][] = [[mine, send(move, known, mine, first)]];
  if (way === 'twice') sent.push([mine, send(move, known, mine, first + 1)]);
  if (way === 'race') sent.push([other, send(move, known, other, first + 1)]);
  const answers = await Promise.all(sent.map(async ([results, told]) => ({ results, answer: await told })));
  answers.push(...(await made(move, known, answers, [mine, other])));
  const taken = answers.filter(({ answer }) => answer?.status === 200);
  const [winner] = taken;
  if (!winner?.answer) return undefined;
  const agreed = taken.every(({ results }) => results === winner.results);
  journal.check('a round takes one answer', agreed, () => `conversation ${known.id}: ${JSON.stringify(answers)}`);
  const bodies = new Set(taken.map(({ answer }) => JSON.stringify({ ...answer?.body, request_id: null })));
  journal.check('a retry is answered as the first', bodies.size === 1, () => [...bodies].join('\n'));
  const outputs = new Map(winner.results.map(({ call_id, output }) => [call_id, output]));
  journal.rounds.push({ conversationId: known.id, outputs });
  return winner.answer;
}

/** Where nobody knows yet which results were taken: those of the first, and else, if these come too late, the others. */
async function made(
  move: Move,
  known: Known,
  answers: readonly { readonly answer: Told }[],
  sets: readonly Results[],
): Promise<{ readonly results: Results; readonly answer: Told }[]> {
  if (answers.some(({ answer }) => answer?.status === 200)) return [];
  for (const results of sets) {
    const { answer } = await move.caller.sure(callOf(move, known, results), move.random);
    if (answer?.status === 200) return [{ results, answer }];
    if (answer?.body.error?.code !== 'action_result_conflict') break;
  }
  const detail = () => `conversation ${known.id}: ${JSON.stringify(answers)}`;
  move.journal.check('what waits for results takes them', false, detail);
  return [];
}

function send(move: Move, known: Known, results: Results, process: number): Promise<Told> {
  const key = move.random.chance(0.3) ? newKey() : undefined;
  return move.caller.once({ ...callOf(move, known, results), idempotencyKey: key }, process);
}

function callOf(_move: Move, known: Known, results: Results): Call {
  return {
    kind: 'resume',
    method: 'POST',
    path: `/v2/runner/${known.deploymentId}/conversation`,
    body: { conversation_id: known.id, tool_results: results },
    mayBe: ['action_result_conflict'],
  };
}

function resultsOf(calls: readonly PendingCall[], word: string): Results {
  return calls.map(({ call_id, name, arguments: given }) => ({
    call_id,
    output: name === 'ask_user' ? { answers: answersTo(given.questions, word) } : { name: word, notes: [1, null, {}] },
  }));
}

function answersTo(questions: unknown, word: string): object[] {
  return (questions as readonly { id: string; input_type: string }[]).map(({ id, input_type }) => ({
    id,
    value: input_type === 'multi_select' ? [word, 'other'] : word,
  }));
}
