import { textContent } from './agent-apis.ts';
import type { HttpResponse } from './client.ts';
import { HandledTalks } from './handled-talks.ts';
import { mutationOf, resultOf } from './results.ts';
import { type Subscription, trackSubscriptions } from './subscriptions.ts';
import { makeDeployment } from './tenants.ts';

const PEOPLE = '{ people { displayName kind isMe isTyping } }';

export const SET_PRESENCE = mutationOf('setPresence', PEOPLE);
export const FOLLOW_PRESENCE = `subscription ($id: ID!, $asUser: Boolean) {
  presenceChanged(conversationId: $id, asUser: $asUser) ${PEOPLE} }`;

export const typing = { isTyping: true };
export const reading = { isTyping: false };

/** Somebody whom a caller sees. */
export const person = (displayName: string | null, kind: string, isMe = false, isTyping = false) => ({
  displayName,
  kind,
  isMe,
  isTyping,
});

/** The people of the next event. */
export const nextPeople = async (feed: Subscription) => (await feed.next())?.data?.presenceChanged?.people;

/** Conversations in which people and users report that they are there. */
export class PresenceTalks {
  readonly talks: HandledTalks;
  /** The deployment of visitors and end users. */
  readonly open: string;
  readonly #feeds = trackSubscriptions();

  private constructor(talks: HandledTalks, open: string) {
    this.talks = talks;
    this.open = open;
  }

  static async start(): Promise<PresenceTalks> {
    const talks = await HandledTalks.start();
    const { id } = await makeDeployment(talks.parts.service, {}, { kind: 'agent', authRequired: false });
    return new PresenceTalks(talks, id);
  }

  get service() {
    return this.talks.parts.service;
  }

  /** Ends what a test has left. */
  async reset(): Promise<void> {
    await this.#feeds.closeAll();
    this.talks.reset();
  }

  async close(): Promise<void> {
    await this.#feeds.closeAll();
    await this.talks.parts.close();
  }

  report(id: string, key: string | null, input: object): Promise<HttpResponse> {
    return this.service.graphql(SET_PRESENCE, { input: { conversationId: id, ...input } }, { key });
  }

  /** Reports, and returns the people that the caller sees. */
  async seen(id: string, key: string | null, input: object) {
    return resultOf(await this.report(id, key, input));
  }

  follow(id: string, key: string | null, asUser?: boolean, client = this.service): Promise<Subscription> {
    return this.#feeds.open(client, FOLLOW_PRESENCE, { id, asUser }, key);
  }

  /** Another subscription of this service. */
  subscribe(document: string, variables: object, key: string): Promise<Subscription> {
    return this.#feeds.open(this.service, document, variables, key);
  }

  rows(id: string) {
    return this.talks.db.conversationPresence.findMany({ where: { conversationId: id } });
  }

  /** A conversation of a visitor, or with a token of an end user. */
  async visited(key: string | null = null): Promise<string> {
    const body = { content: textContent('Hello') };
    const response = await this.service.send('POST', `/v2/runner/${this.open}/conversation`, { key, body });
    return response.body.conversation_id;
  }
}
