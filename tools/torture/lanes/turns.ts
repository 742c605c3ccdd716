import type { HttpResponse } from '../../../test/support/client.ts';
import type { Action } from '../context.ts';
import { type KnownConversation, readState, recordReply, settle, takeTurn } from './conversation.ts';
import { resolveRound } from './rounds.ts';
import { agentScript, chatScript, type Script } from './scripts.ts';

/** The number of open conversations of a lane. */
const OPEN = 5;

/** One more than the maximum number of rounds of a script. */
const ROUNDS = 4;

/** v2 turns: started and continued, paused and resumed. */
export function agentTurns(): (action: Action) => Promise<void> {
  return turnsOf('v2', ({ deployments }) => deployments.agent, agentScript);
}

/** v1 turns. */
export function chatTurns(): (action: Action) => Promise<void> {
  return turnsOf('v1', ({ deployments }) => deployments.chat, chatScript);
}

function turnsOf(
  version: 'v1' | 'v2',
  deploymentOf: (action: Action) => string,
  plan: (random: Action['random'], tag: string) => Script,
): (action: Action) => Promise<void> {
  const open: KnownConversation[] = [];
  return async (action) => {
    const { random } = action;
    const script = plan(random, action.tag);
    const continues = random.chance(0.75);
    const slot = random.index(OPEN);
    const conversation = continues ? open[slot] : undefined;
    if (conversation && version === 'v2') await catchUp(action, conversation);
    const deploymentId = deploymentOf(action);
    const { response, conversation: known } = await takeTurn(action, version, deploymentId, script, conversation);
    if (known && known !== conversation) open[open.length < OPEN ? open.length : slot] = known;
    if (known && response?.status === 200) await finish(action, script, known, response);
  };
}

async function finish(action: Action, script: Script, known: KnownConversation, response: HttpResponse): Promise<void> {
  checkReply(action, script, await resolveAllRounds(action, known, response));
  if (action.random.chance(0.25)) await checkReadable(action, known);
}

/** Resolves round after round until nothing is pending. */
async function resolveAllRounds(
  action: Action,
  known: KnownConversation,
  first: HttpResponse,
): Promise<HttpResponse | undefined> {
  let response: HttpResponse | undefined = first;
  for (let round = 0; response?.body.run_status === 'waiting_for_client_action'; round += 1) {
    const ends = action.journal.check('a script ends', round < ROUNDS, () => JSON.stringify(response?.body));
    if (!ends) return undefined;
    response = await resolveRound(action, known, response.body.client_tool_calls);
    if (response) recordReply(action.journal, known, response);
  }
  return response;
}

/** Settles the state after a lost request, because the client cannot know it. */
async function catchUp(action: Action, known: KnownConversation): Promise<void> {
  if (!known.uncertain) return;
  for (let round = 0; round < ROUNDS; round += 1) {
    const state = await settle(action, known);
    if (!state || state.pending_client_actions.length === 0) return;
    await resolveRound(action, known, state.pending_client_actions);
  }
}

/** A disruption may interrupt a resumed turn. Any other turn with status 200 has its reply. */
export function checkReply({ journal, tag }: Action, script: Script, response: HttpResponse | undefined): void {
  if (!response || response.body.run_status === 'interrupted') return;
  journal.check('a reply is the script’s', response.body.content === script.reply, () => {
    return `${tag}: ${script.text} got ${JSON.stringify(response.body)}`;
  });
}

/** An acknowledged message is readable at every process. */
async function checkReadable(action: Action, known: KnownConversation): Promise<void> {
  const state = await readState(action, known);
  const text = state?.items.some(({ type, content }) => type === 'message' && content?.[0]?.text.includes(action.tag));
  action.journal.check('an acknowledged message is read at once', text === true, () => `${action.tag} in ${known.id}`);
}
