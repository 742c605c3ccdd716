import type { MessageContent } from '../contract/content.ts';
import { type ContentInput, toWireContent } from './content.ts';
import type { JsonObject } from './history.ts';
import { sendJson } from './http.ts';
import type { Settings } from './options.ts';
import { fromWire } from './wire.ts';

/** A prepared first message. It starts one conversation. */
export interface Trigger {
  /** Eight characters: the `tid` parameter of a link. */
  readonly id: string;
  /** The deployment that receives the message. */
  readonly deploymentId: string;
  /** The workflow of the deployment. */
  readonly workflowId: number;
  /** The intended page, like `chat` or `agent`. Only a hint. */
  readonly uiSurface: string | null;
  /** The first message. */
  readonly content: MessageContent;
  /** Values for the placeholders in the deployment's instructions. */
  readonly variables: JsonObject | null;
  /** The conversation that it started. Null until its first use. */
  readonly conversationId: string | null;
  /** The workflow log entry of its use. Null until there is one. */
  readonly workflowLogId: number | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. Null if it never expires. */
  readonly expiresAt: string | null;
  /** An expired trigger cannot start a conversation. */
  readonly expired: boolean;
}

/** Options of {@link TriggerApi.create}. */
export interface CreateTriggerOptions {
  /** The first message. */
  readonly content: ContentInput;
  /** Values for the placeholders in the deployment's instructions. Values passed to `start` take precedence. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** The intended page, 1 to 64 characters. Only a hint. */
  readonly uiSurface?: string | undefined;
  /** Hours until it expires, 1 to 8,760. Null: never. Default: 24. */
  readonly ttlHours?: number | null | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link TriggerApi.get}. */
export interface GetTriggerOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Creates and reads prepared first messages. */
export interface TriggerApi {
  /**
   * Creates a trigger. Call it on a server: it needs an API key with the scope `triggers:write`.
   *
   * @example
   * const { id } = await client.trigger.create({ content: 'Where is my order?', ttlHours: 48 });
   * @throws {ParleyError} 400 `invalid_request`, 403 `forbidden`
   */
  create(options: CreateTriggerOptions): Promise<Trigger>;

  /**
   * Reads a trigger. Needs no credentials and does not use the trigger up.
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
  readonly content: readonly object[];
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
      return fromWireTrigger(await sendJson<WireTrigger>(settings, { method: 'POST', path: base(), body, signal }));
    },
    async get(triggerId, { signal } = {}) {
      const path = `${base()}/${encodeURIComponent(triggerId)}`;
      return fromWireTrigger(await sendJson<WireTrigger>(settings, { method: 'GET', path, signal }));
    },
  };
}

function fromWireTrigger(wire: WireTrigger): Trigger {
  return {
    id: wire.id,
    deploymentId: wire.deployment_id,
    workflowId: wire.workflow_id,
    uiSurface: wire.ui_surface,
    content: fromWire(wire.content),
    variables: wire.variables,
    conversationId: wire.conversation_id,
    workflowLogId: wire.workflow_log_id,
    createdAt: wire.created_at,
    expiresAt: wire.expires_at,
    expired: wire.expired,
  };
}
