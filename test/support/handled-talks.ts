import { textContent } from './agent-apis.ts';
import { act, type HandlingPath } from './handled-conversations.ts';
import { REPLY } from './paused-turns.ts';
import { type ProviderService, startProviderService } from './provider-service.ts';
import { openSession } from './tenants.ts';

type Config = Parameters<ProviderService['agent']>[0];

/** Conversations with an agent whose model can hand over, and members who answer in them. */
export class HandledTalks {
  readonly parts: ProviderService;
  /** The deployment of the conversations. */
  readonly agent: string;
  /** The sessions of two members. */
  readonly member: string;
  readonly other: string;

  private constructor(parts: ProviderService, agent: string, member: string, other: string) {
    this.parts = parts;
    this.agent = agent;
    this.member = member;
    this.other = other;
  }

  static async start(): Promise<HandledTalks> {
    const parts = await startProviderService();
    const agent = await parts.agent({ allowHandOver: true });
    const member = await openSession(parts.service, 'developer');
    return new HandledTalks(parts, agent, member, await openSession(parts.service, 'admin'));
  }

  get db() {
    return this.parts.service.service.services.stores.prisma;
  }

  reset(): void {
    this.parts.provider.reply(REPLY);
  }

  /** A conversation with one turn. */
  async started(config?: Config): Promise<string> {
    const agent = config ? await this.parts.agent(config) : this.agent;
    return (await this.parts.turn(agent)).body.conversation_id;
  }

  /** An operation of a member: the last part of its path. */
  act(id: string, path: HandlingPath, body: object = {}, session: string = this.member) {
    return act(this.parts.service, id, path, { token: session, body });
  }

  answer(id: string, text: string) {
    return this.act(id, 'member-messages', { content: textContent(text) });
  }

  /** A message of the user. */
  say(id: string, text: string, fields: object = {}) {
    return this.parts.turn(this.agent, { conversation_id: id, content: textContent(text), ...fields });
  }

  /** The messages of the active line, with their roles. */
  async texts(id: string): Promise<string[]> {
    const where = { conversationId: id, kind: 'message', supersededBy: null } as const;
    const items = await this.db.timelineItem.findMany({ where, orderBy: { id: 'asc' } });
    return items.map(({ role, content }) => `${role}: ${(content as { readonly text: string }[])[0]?.text}`);
  }

  conversation(id: string) {
    return this.db.conversation.findFirstOrThrow({ where: { id } });
  }

  /** How many turns the conversation had. */
  turns(id: string) {
    return this.db.run.count({ where: { conversationId: id, handledBy: null } });
  }

  get lastPrompt(): string {
    return JSON.stringify(this.parts.provider.requests.at(-1)?.body);
  }
}
