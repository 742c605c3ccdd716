import { textContent } from '../../../test/support/agent-apis.ts';
import type { HttpResponse } from '../../../test/support/client.ts';
import { type Call, newKey } from '../caller.ts';
import type { Action } from '../context.ts';
import { type KnownConversation, settle, takeTurn } from './conversation.ts';

/** The most that the API allows. */
const PAGE_SIZE = 100;

/** The errors of an operation that another one has overtaken, or whose model was lost. */
const OVERTAKEN = ['model_error', 'run_in_progress', 'message_superseded'];

interface Message {
  readonly id: number;
  readonly role: 'user' | 'assistant';
  readonly content: readonly { readonly text: string }[];
  readonly superseded_by?: string;
}

/** Edits, repeated turns, changes of the variant and forks, in one conversation after the other. */
export function branchedTurns(): (action: Action) => Promise<void> {
  let known: KnownConversation | undefined;
  return async (action) => {
    const { random, tag, deployments } = action;
    if (!known || random.chance(0.1)) {
      const script = { text: `Hello ${tag}`, reply: undefined, fails: false, completes: false, makes: undefined };
      known = (await takeTurn(action, 'v2', deployments.agent, script, undefined)).conversation;
      return;
    }
    if (known.uncertain) await settle(action, known);
    const all = await messagesOf(action, known);
    if (all.length > MOST_MESSAGES) known = undefined;
    if (!known) return;
    const change = all.length === 0 ? undefined : random.pick([edit, edit, regenerate, regenerate, select, fork, goOn]);
    await change?.(action, known, all);
  };
}

/** One page has the messages of a conversation, with room for those of the next change. */
const MOST_MESSAGES = PAGE_SIZE - 10;

type Change = (action: Action, known: KnownConversation, all: readonly Message[]) => Promise<void>;

const edit: Change = async (action, known, all) => {
  const { journal, random, tag } = action;
  const own = all.filter(({ role, superseded_by }) => role === 'user' && superseded_by === undefined);
  const message = own[random.index(own.length)];
  if (!message) return;
  const { response, attempts } = await send(action, known, {
    kind: 'edit',
    method: 'PATCH',
    path: `messages/${message.id}`,
    body: { content: textContent(`Edit ${tag}`) },
  });
  const isStored = response?.status === 200 || response?.status === 502;
  const outcome = isStored ? 'accepted' : response ? 'rejected' : 'lost';
  journal.turns.push({ tag, outcome, conversationId: known.id, attempts });
  if (response?.status !== 200) return;
  const texts = (await messagesOf(action, known)).filter((one) => one.superseded_by === undefined).map(textOf);
  journal.check('an acknowledged edit ends the active line', texts.at(-1) === response.body.content, () => {
    return `${tag} in ${known.id}: ${JSON.stringify(texts)}`;
  });
};

const regenerate: Change = async (action, known) => {
  await send(action, known, { kind: 'regenerated turn', method: 'POST', path: 'regenerate', body: {} });
};

const select: Change = async (action, known, all) => {
  const replaced = all.filter((message) => message.superseded_by !== undefined);
  const variant = replaced[action.random.index(Math.max(1, replaced.length))];
  if (!variant) return;
  await send(action, known, {
    kind: 'change of variant',
    method: 'POST',
    path: `messages/${variant.id}/select`,
    body: {},
  });
};

const fork: Change = async (action, known, all) => {
  const active = all.filter((message) => message.superseded_by === undefined).map(textOf);
  const { response } = await send(action, known, { kind: 'fork', method: 'POST', path: 'fork', body: {} });
  if (response?.status !== 201) return;
  const copied = (await messagesOf(action, { ...known, id: response.body.conversation_id })).map(textOf);
  // A turn that was lost can have ended meanwhile.
  const isCopy = known.uncertain || JSON.stringify(copied) === JSON.stringify(active);
  action.journal.check(
    'a fork has the active line',
    isCopy,
    () => `${JSON.stringify(copied)} of ${JSON.stringify(active)}`,
  );
};

const goOn: Change = async (action, known) => {
  const script = { text: `More ${action.tag}`, reply: undefined, fails: false, completes: false, makes: undefined };
  await takeTurn(action, 'v2', known.deploymentId, script, known);
};

const textOf = ({ content }: Message) => content[0]?.text;

interface Sent {
  readonly response: HttpResponse | undefined;
  readonly attempts: number;
}

async function send(
  { caller, random }: Action,
  known: KnownConversation,
  { path, ...call }: Pick<Call, 'kind' | 'method' | 'path' | 'body'>,
): Promise<Sent> {
  const sent = await caller.sendRetryingIfKeyed(
    {
      ...call,
      path: `/v1/runner/conversation/${known.id}/${path}`,
      expectedCodes: OVERTAKEN,
      idempotencyKey: random.chance(0.6) ? newKey() : undefined,
    },
    random,
  );
  known.uncertain =
    sent.response === undefined || sent.response.status === 502 || (known.uncertain && sent.response.status === 409);
  return sent;
}

/** All messages, also replaced ones. */
async function messagesOf({ caller, random }: Action, { id }: KnownConversation): Promise<readonly Message[]> {
  const path = `/v1/runner/conversation/${id}/messages?page_size=${PAGE_SIZE}&branch=all`;
  const { response } = await caller.sendUntilResponse({ kind: 'read of messages', method: 'GET', path }, random);
  return response?.status === 200 ? response.body.items : [];
}
