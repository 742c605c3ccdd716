import { useEffect, useMemo, useRef, useState } from 'react';
import type { CallStatus, MessageContent } from '../../sdk/index.ts';
import type { Branches, Direction } from './branch-context.ts';

/** An action that has changed something outside of the service. */
export interface Effect {
  readonly callId: string;
  readonly name: string;
  readonly status: CallStatus;
}

/** Sends the operations. Each rejects with the reason why it failed. */
export interface BranchService {
  readonly edit: (id: string, content: MessageContent, acknowledgeEffects: boolean) => Promise<unknown>;
  /** `id`: the last message that the user sees. */
  readonly regenerate: (id: string, acknowledgeEffects: boolean) => Promise<unknown>;
  /** Resolves with the ID of the fork, or with null if the variant is active in this conversation. */
  readonly select: (id: string, acknowledgeEffects: boolean) => Promise<string | null>;
  readonly fork: (id: string) => Promise<string>;
  /** The actions that a rejection lists. Undefined for other rejections. */
  readonly effectsOf: (error: unknown) => Effects | undefined;
  /** Shows a fork. `why` is the action that created it. */
  readonly openFork: (conversationId: string, why: 'fork' | 'select') => void;
  /** Moves the focus when the focused button disappears with its message. */
  readonly focusConversation: () => void;
}

/** The actions of the turns that would be replaced. */
export interface Effects {
  /** The first ones. */
  readonly effects: readonly Effect[];
  readonly count: number;
}

/** A question before actions are replaced. */
export interface EffectsQuestion extends Effects {
  readonly answer: (isConfirmed: boolean) => void;
}

export interface Replacing {
  readonly branches: Branches;
  /** Why the latest action failed. Edits show it in their form. */
  readonly error: unknown;
  readonly question: EffectsQuestion | undefined;
}

type View = Pick<
  Branches,
  'canReplace' | 'isWaiting' | 'canFork' | 'lastId' | 'lastPersonId' | 'lastUserId' | 'variantsOf' | 'errorText'
>;

/** The actions on messages, with the question about effects. One action is sent at a time. */
export function useReplacing(service: BranchService, view: View): Replacing {
  const [sending, setSending] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [question, setQuestion] = useState<EffectsQuestion>();
  const focused = useRef<{ readonly id: string; readonly direction: Direction }>(undefined);

  const ask = (effects: Effects) =>
    new Promise<boolean>((resolve) => {
      const answer = (isConfirmed: boolean) => {
        setQuestion(undefined);
        resolve(isConfirmed);
      };
      setQuestion({ ...effects, answer });
    });

  /** Resolves with undefined if the user does not want to replace the actions. */
  async function perform<T>(action: string, send: (acknowledgeEffects: boolean) => Promise<T>) {
    setSending(action);
    setError(undefined);
    try {
      return { result: await send(false) };
    } catch (thrown) {
      const effects = service.effectsOf(thrown);
      if (!effects) throw thrown;
      if (!(await ask(effects))) return undefined;
      return { result: await send(true) };
    } finally {
      setSending(undefined);
    }
  }

  const fail = (thrown: unknown) => {
    focused.current = undefined;
    setError(thrown);
  };
  const actions = {
    async edit(id: string, content: MessageContent) {
      const done = await perform(`edit ${id}`, (acknowledge) => service.edit(id, content, acknowledge));
      return done !== undefined;
    },
    regenerate(id: string) {
      perform('regenerate', (acknowledge) => service.regenerate(id, acknowledge)).catch(fail);
    },
    select(id: string, direction: Direction) {
      focused.current = { id, direction };
      perform('select', (acknowledge) => service.select(id, acknowledge)).then((done) => {
        if (done?.result) service.openFork(done.result, 'select');
        else if (!done) focused.current = undefined;
      }, fail);
    },
    fork(id: string) {
      perform(`fork ${id}`, () => service.fork(id)).then((done) => done && service.openFork(done.result, 'fork'), fail);
    },
    takeFocus(id: string) {
      if (focused.current?.id !== id) return undefined;
      const { direction } = focused.current;
      focused.current = undefined;
      return direction;
    },
  };
  useEffect(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null;
    if (sending !== undefined && !question && isLost) service.focusConversation();
  });
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  const { canReplace, isWaiting, canFork, lastId, lastPersonId, lastUserId, variantsOf, errorText } = view;
  // Rows are drawn again only if something that they show has changed.
  const branches = useMemo<Branches>(
    () => ({
      ...{ canReplace, isWaiting, canFork, lastId, lastPersonId, lastUserId, variantsOf, errorText, sending },
      edit: (id, content) => latest.current.edit(id, content),
      regenerate: (id) => latest.current.regenerate(id),
      select: (id, direction) => latest.current.select(id, direction),
      fork: (id) => latest.current.fork(id),
      takeFocus: (id) => latest.current.takeFocus(id),
    }),
    [canReplace, isWaiting, canFork, lastId, lastPersonId, lastUserId, variantsOf, errorText, sending],
  );
  return { branches, error, question };
}
