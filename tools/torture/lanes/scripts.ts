import { BANK_ACTIONS } from '../bank.ts';
import type { Random } from '../random.ts';

/** The model's script in a turn, and its expected effects. */
export interface Script {
  readonly text: string;
  /** The final reply. Undefined if the turn has no reply. */
  readonly reply: string | undefined;
  /** The turn may fail because the model fails. */
  readonly fails: boolean;
  readonly completes: boolean;
  /** The tag of a resource that the turn creates. */
  readonly makes: string | undefined;
}

const WEIGHTS = { plain: 4, say: 2, slow: 3, ask: 1, pause: 4, tools: 3, twice: 1, fail: 1, complete: 0.6 };

/** v1 offers no client tools, and no completion. */
const PLAIN_WEIGHTS = { plain: 4, say: 3, slow: 3, fail: 1 };

export function agentScript(random: Random, tag: string): Script {
  return scriptOf(random.weighted(WEIGHTS), random, tag);
}

export function chatScript(random: Random, tag: string): Script {
  return scriptOf(random.weighted(PLAIN_WEIGHTS), random, tag);
}

/** Rounds of actions at the receiver, each with its own argument, so that a repeated call is recognized. */
export function actionScript(random: Random, tag: string): Script {
  let calls = 0;
  const call = () => {
    calls += 1;
    return `/call ${random.pick(BANK_ACTIONS).name} ${JSON.stringify({ id: `${tag}${calls}` })}`;
  };
  const round = () => [
    `/slow ${random.between(0.05, 0.8).toFixed(2)}`,
    Array.from({ length: 1 + random.index(2) }, call).join(' && '),
  ];
  const rounds = Array.from({ length: 1 + random.index(3) }, round);
  const text = [...rounds.flat(), `/say done ${tag}`].join('\n');
  return { text, reply: `done ${tag}`, fails: false, completes: false, makes: undefined };
}

/** Pauses and then continues slowly, so that disruptions hit both phases. */
function lookup(tag: string): string {
  return `/call lookup_customer ${JSON.stringify({ customer_id: tag })}`;
}

function scriptOf(kind: keyof typeof WEIGHTS, random: Random, tag: string): Script {
  const slow = `/slow ${random.between(0.1, 2).toFixed(2)}`;
  const say = `/say done ${tag}`;
  const script = (lines: readonly string[], more: Partial<Script> = {}): Script => ({
    text: lines.join('\n'),
    reply: `done ${tag}`,
    fails: false,
    completes: false,
    makes: undefined,
    ...more,
  });
  const make = `/call create_resource ${JSON.stringify({ type: 'made', fields: { tag } })}`;
  const scripts: Record<keyof typeof WEIGHTS, () => Script> = {
    plain: () => script([`Hello ${tag}`], { reply: `You said: Hello ${tag}` }),
    say: () => script([say]),
    slow: () => script([slow, say]),
    ask: () => script(['/ask', say]),
    pause: () => script([lookup(tag), slow, say]),
    tools: () => script([`${make} && ${lookup(tag)}`, slow, say], { makes: tag }),
    twice: () => script([lookup(tag), `${lookup(`${tag}b`)} && ${lookup(`${tag}c`)}`, say]),
    fail: () => script(['/fail', say], { reply: undefined, fails: true }),
    complete: () => script([`/complete ${tag}`, say], { completes: true }),
  };
  return scripts[kind]();
}
