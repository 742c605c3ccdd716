import { useCallback, useEffect, useRef, useState } from 'react';
import type { JsonObject, MessageContent } from '../../../../sdk/index.ts';
import { retried } from '../../../ui/load.ts';
import { partInput } from '../../branches/content-input.ts';
import { useEnvironment } from '../../location.ts';
import type { DraftTurnInput, Step, TurnEnd } from './draft-turn.ts';

/** A message of the tester and everything that the assistant did. */
export interface TestTurn {
  readonly key: number;
  readonly content: MessageContent;
  readonly steps: readonly Step[];
  /** The text of the step that the model is writing. */
  readonly live: string;
  readonly status: 'running' | 'waiting' | 'done' | 'failed';
  /** Undefined if the tester stopped the turn. */
  readonly error?: unknown;
  readonly end?: TurnEnd | undefined;
}

/** What a test runs. */
export type TestTarget = Omit<DraftTurnInput, 'turns'>;

/** A conversation with a draft or a version. The browser keeps it, the service does not. */
export interface Test {
  readonly turns: readonly TestTurn[];
  readonly isRunning: boolean;
  /** Whether the assistant has completed the conversation. */
  readonly isCompleted: boolean;
  /** The calls that wait for the tester. */
  readonly waiting: readonly Step['calls'][number][];
  readonly send: (content: MessageContent) => void;
  /** Replaces the message of a turn and everything after it. */
  readonly edit: (key: number, content: MessageContent) => void;
  /** Runs the last turn again from its beginning. */
  readonly runAgain: () => void;
  /** Continues the turn with the outputs of its waiting calls. */
  readonly answer: (outputs: ReadonlyMap<string, JsonObject>) => void;
  /** Runs the failed part of the last turn again. */
  readonly retry: () => void;
  readonly stop: () => void;
  readonly reset: () => void;
}

const isWaiting = ({ type, status }: Step['calls'][number]) => type === 'CLIENT_TOOL' && status === 'PENDING';

export function useTest(target: TestTarget): Test {
  const environment = useEnvironment();
  const [turns, setTurns] = useState<readonly TestTurn[]>([]);
  const running = useRef<AbortController>(undefined);
  const latestKey = useRef(0);
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (all: readonly TestTurn[]) => {
      const current = all.at(-1);
      if (!current) return;
      const controller = new AbortController();
      running.current?.abort();
      running.current = controller;
      const change = (next: (turn: TestTurn) => TestTurn) => {
        if (running.current !== controller) return;
        setTurns((before) => before.map((turn) => (turn.key === current.key ? next(turn) : turn)));
      };
      setTurns(all);
      const input = { ...target, turns: all.map(turnInput) };
      try {
        // It is needed after the first message.
        const { runDraftTurn } = await retried(() => import('./draft-turn.ts'));
        const end = await runDraftTurn(environment, input, controller.signal, {
          onText: (text) => change((turn) => ({ ...turn, live: turn.live + text })),
          onStep: (step) => change((turn) => ({ ...turn, live: '', steps: withStep(turn.steps, step) })),
        });
        change((turn) => ({ ...turn, live: '', end, status: end.content === null ? 'waiting' : 'done' }));
      } catch (error) {
        change((turn) => ({
          ...turn,
          live: '',
          status: 'failed',
          error: controller.signal.aborted ? undefined : error,
        }));
      }
    },
    [environment, target],
  );

  const startAfter = (earlier: readonly TestTurn[], content: MessageContent) => {
    latestKey.current += 1;
    void run([...earlier, { key: latestKey.current, content, steps: [], live: '', status: 'running' }]);
  };
  const last = turns.at(-1);
  const continueWith = (steps: readonly Step[]) => {
    if (!last) return;
    const next = { ...last, steps, live: '', status: 'running', error: undefined, end: undefined } as const;
    void run([...turns.slice(0, -1), next]);
  };
  return {
    turns,
    isRunning: last?.status === 'running',
    isCompleted: turns.some(({ end }) => end?.completesConversation),
    waiting: last?.status === 'waiting' ? (last.steps.at(-1)?.calls.filter(isWaiting) ?? []) : [],
    send: (content) => startAfter(turns, content),
    edit(key, content) {
      startAfter(
        turns.slice(
          0,
          turns.findIndex((turn) => turn.key === key),
        ),
        content,
      );
    },
    runAgain: () => continueWith([]),
    answer: (outputs) => continueWith((last?.steps ?? []).map((step) => withOutputs(step, outputs))),
    retry: () => continueWith(answeredSteps(last?.steps ?? [])),
    stop() {
      running.current?.abort();
      setTurns((before) => before.map((turn) => (turn.status === 'running' ? { ...turn, status: 'failed' } : turn)));
    },
    reset() {
      running.current?.abort();
      running.current = undefined;
      setTurns([]);
    },
  };
}

function turnInput({ content, steps }: TestTurn): DraftTurnInput['turns'][number] {
  return { content: content.map(partInput), steps: steps.map(({ text, calls }) => ({ text, calls: [...calls] })) };
}

function withStep(steps: readonly Step[], step: Step): readonly Step[] {
  return [...steps.filter(({ number }) => number !== step.number), step].sort(
    (one, other) => one.number - other.number,
  );
}

function withOutputs(step: Step, outputs: ReadonlyMap<string, JsonObject>): Step {
  const calls = step.calls.map((call) => {
    const output = isWaiting(call) ? outputs.get(call.callId) : undefined;
    return output ? ({ ...call, status: 'COMPLETED', output } as const) : call;
  });
  return { ...step, calls };
}

/** The steps before the failure. A step is complete if each of its calls has ended. */
function answeredSteps(steps: readonly Step[]): readonly Step[] {
  const open = steps.findIndex(
    ({ calls }) =>
      calls.length === 0 ||
      calls.some(({ status, output }) => (status === 'PENDING' || status === 'RUNNING') && output === null),
  );
  return open < 0 ? steps : steps.slice(0, open);
}
