import type { MessageContent } from '../contract/content.ts';
import { type ContentInput, fromWireContent, toWireContent, type WirePart } from './content.ts';
import type { JsonObject } from './history.ts';
import { sendJson } from './http.ts';
import type { Settings } from './options.ts';

/** A stored first message, started by its id. */
export interface Trigger {
  /** Eight characters: the `tid` of a link. */
  readonly id: string;
  /** The deployment that it starts. */
  readonly deploymentId: string;
  /** The workflow of that deployment. */
  readonly workflowId: number;
  /** A hint at the page it is for, like `chat` or `agent`. */
  readonly uiSurface: string | null;
  /** The first message. */
  readonly content: MessageContent;
  /** For the deployment's instructions. */
  readonly variables: JsonObject | null;
  /** Set by its first use: open that conversation. */
  readonly conversationId: string | null;
  /** The line of its use in the workflow log, once there is one. */
  readonly workflowLogId: number | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC; null where it never expires. */
  readonly expiresAt: string | null;
  /** Neither start nor continue by it then. */
  readonly expired: boolean;
}

/** A trigger to be made. */
export interface CreateTriggerOptions {
  /** The first message. */
  readonly content: ContentInput;
  /** For the deployment's instructions; those given with the start come before them. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** A hint at the page it is for, 1 to 64 characters. */
  readonly uiSurface?: string | undefined;
  /** Hours until it expires, 1 to 8,760; null for never. Default 24. */
  readonly ttlHours?: number | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reading a trigger. */
export interface GetTriggerOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Prepared first messages; see {@link Trigger}. */
export interface TriggerApi {
  /**
   * Stores a first message. Needs a key with `triggers:write`: on a server.
   *
   * @example
   * const { id } = await client.trigger.create({ content: 'Where is my order?', ttlHours: 48 });
   * @throws {ParleyError} 400 `invalid_request`, 403 `forbidden`
   */
  create(options: CreateTriggerOptions): Promise<Trigger>;

  /**
   * Reads one. Needs no credentials, and changes nothing.
   *
   * @example
   * const { expired, conversationId } = await client.trigger.get(tid);
   * if (!expired) await (conversationId ? agent.open(conversationId) : agent.start({ triggerId: tid }));
   * @throws {ParleyError} 404 `not_found`
   */
  get(triggerId: string, options?: GetTriggerOptions): Promise<Trigger>;
}

interface WireTrigger {
  readonly id: string;
  readonly deployment_id: string;
  readonly workflow_id: number;
  readonly ui_surface: string | null;
  readonly content: readonly WirePart[];
  readonly variables: JsonObject | null;
  readonly conversation_id: string | null;
  readonly workflow_log_id: number | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly expired: boolean;
}

export function createTriggerApi(settings: Settings): TriggerApi {
  const base = () => `/v1/runner/${settings.deploymentId()}/trigger`;
  return {
    async create({ content, variables, uiSurface, ttlHours, signal }) {
      const body = { content: toWireContent(content), variables, ui_surface: uiSurface, ttl_hours: ttlHours };
      return fromWire(await sendJson<WireTrigger>(settings, { method: 'POST', path: base(), body, signal }));
    },
    async get(triggerId, { signal } = {}) {
      const path = `${base()}/${encodeURIComponent(triggerId)}`;
      return fromWire(await sendJson<WireTrigger>(settings, { method: 'GET', path, signal }));
    },
  };
}

function fromWire(wire: WireTrigger): Trigger {
  return {
    id: wire.id,
    deploymentId: wire.deployment_id,
    workflowId: wire.workflow_id,
    uiSurface: wire.ui_surface,
    content: fromWireContent(wire.content),
    variables: wire.variables,
    conversationId: wire.conversation_id,
    workflowLogId: wire.workflow_log_id,
    createdAt: wire.created_at,
    expiresAt: wire.expires_at,
    expired: wire.expired,
  };
}
