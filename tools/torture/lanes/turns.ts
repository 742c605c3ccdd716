import type { Answer } from '../../../test/support/client.ts';
import type { Move } from '../stage.ts';
import { type Known, noteReply, readState, settle, takeTurn } from './conversation.ts';
import { resolveRound } from './rounds.ts';
import { agentScript, chatScript, type Script } from './scripts.ts';

/** Conversations that a lane goes on with. */
const OPEN = 5;

/** Rounds that a script of these lanes has at most, and one more. */
const ROUNDS = 4;

/** v2 turns: started and continued, paused and resumed. */
export function agentTurns(): (move: Move) => Promise<void> {
  return turnsOf('v2', ({ deployments }) => deployments.agent, agentScript);
}

/** v1 turns. */
export function chatTurns(): (move: Move) => Promise<void> {
  return turnsOf('v1', ({ deployments }) => deployments.chat, chatScript);
}

function turnsOf(
  version: 'v1' | 'v2',
  deploymentOf: (move: Move) => string,
  plan: (random: Move['random'], tag: string) => Script,
): (move: Move) => Promise<void> {
  const open: Known[] = [];
  return async (move) => {
    const { random } = move;
    const script = plan(random, move.tag);
    const goesOn = random.chance(0.75);
    const chosen = random.index(OPEN);
    const conversation = goesOn ? open[chosen] : undefined;
    if (conversation && version === 'v2') await catchUp(move, conversation);
    const deploymentId = deploymentOf(move);
    const { answer, conversation: known } = await takeTurn(move, version, deploymentId, script, conversation);
    if (known && known !== conversation) open[open.length < OPEN ? open.length : chosen] = known;
    if (known && answer?.status === 200) await finish(move, script, known, answer);
  };
}

async function finish(move: Move, script: Script, known: Known, answer: Answer): Promise<void> {
  checkReply(move, script, await toItsEnd(move, known, answer));
  if (move.random.chance(0.25)) await checkReadable(move, known);
}

/** Answers round after round, until nothing waits. */
async function toItsEnd(move: Move, known: Known, first: Answer): Promise<Answer | undefined> {
  let answer: Answer | undefined = first;
  for (let round = 0; answer?.body.run_status === 'waiting_for_client_action'; round += 1) {
    const ends = move.journal.check('a script ends', round < ROUNDS, () => JSON.stringify(answer?.body));
    if (!ends) return undefined;
    answer = await resolveRound(move, known, answer.body.client_tool_calls);
    if (answer) noteReply(move.journal, known, answer);
  }
  return answer;
}

/** What was going on when the last request was lost; of an ordinary conversation that is told to nobody. */
async function catchUp(move: Move, known: Known): Promise<void> {
  if (!known.uncertain) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = await settle(move, known);
    if (!state || state.pending_client_actions.length === 0) return;
    await resolveRound(move, known, state.pending_client_actions);
  }
}

/** A turn that was resumed may be interrupted by a strike; any other one that is answered 200 has its reply. */
function checkReply({ journal, tag }: Move, script: Script, answer: Answer | undefined): void {
  if (!answer || answer.body.run_status === 'interrupted') return;
  journal.check('a reply is the script’s', answer.body.content === script.reply, () => {
    return `${tag}: ${script.text} was answered ${JSON.stringify(answer.body)}`;
  });
}

/** What was acknowledged is there for whoever asks, at any process. */
async function checkReadable(move: Move, known: Known): Promise<void> {
  const state = await readState(move, known);
  const said = state?.items.some(({ type, content }) => type === 'message' && content?.[0]?.text.includes(move.tag));
  move.journal.check('an acknowledged message is read at once', said === true, () => `${move.tag} in ${known.id}`);
}
