import { expect } from 'vitest';
import { textContent } from './agent-apis.ts';
import { act, type HandlingPath } from './handled-conversations.ts';
import { FOLLOW_PRESENCE, SET_PRESENCE } from './presence.ts';
import { errorOf } from './results.ts';
import type { TestService } from './service.ts';
import { type Subscription, subscribe } from './subscriptions.ts';
import { openSession } from './tenants.ts';

/** A member who answers in conversations. */
export interface Person {
  takeOver(conversationId: string, displayName: string, input?: { readonly force?: boolean }): Promise<void>;
  say(conversationId: string, text: string): Promise<void>;
  /** Reports that the person has the conversation open, and whether they type. */
  reports(conversationId: string, isTyping: boolean): Promise<void>;
  /** Follows who is in the conversation. */
  follows(conversationId: string): Promise<Subscription>;
  /** Without `answer`, the assistant answers what nobody has answered. */
  handBack(conversationId: string, input?: { readonly answer?: boolean }): Promise<void>;
}

export async function personOf(service: TestService): Promise<Person> {
  const token = await openSession(service, 'developer');
  const succeed = async (id: string, path: HandlingPath, body: object) => {
    const response = await act(service, id, path, { token, body });
    expect([response.status, response.body.error]).toEqual([200, undefined]);
  };
  return {
    takeOver: (id, displayName, input = {}) => succeed(id, 'takeover', { display_name: displayName, ...input }),
    say: (id, text) => succeed(id, 'member-messages', { content: textContent(text) }),
    async reports(conversationId, isTyping) {
      const response = await service.graphql(SET_PRESENCE, { input: { conversationId, isTyping } }, { key: token });
      expect(errorOf(response)).toBeUndefined();
    },
    follows: (id) => subscribe(service, FOLLOW_PRESENCE, { id }, token),
    handBack: (id, input = {}) => succeed(id, 'handback', input),
  };
}

/** The reply of a model that hands the conversation over to a person. */
export const HANDS_OVER = [
  { kind: 'answer', calls: [{ name: 'hand_over', arguments: '{"reason":"Wants a refund","urgency":"normal"}' }] },
  { kind: 'answer', deltas: ['A colleague will answer.'] },
] as const;
