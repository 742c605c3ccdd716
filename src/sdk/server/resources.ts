import type { JsonObject } from '../history.ts';
import { sendJson, sendOnce } from '../http.ts';
import type { Settings } from '../options.ts';
import { itemsOf } from './pages.ts';

/** A record of the environment: a type and free-form fields. */
export interface Resource {
  /** `res_` and 26 characters. */
  readonly id: string;
  readonly type: string;
  readonly fields: JsonObject;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC: when its fields last changed. */
  readonly updatedAt: string;
}

/** Options of every call. */
export interface ResourceOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link ResourcesApi.list}. */
export interface ListResourcesOptions extends ResourceOptions {
  /** Only resources of this type. */
  readonly type?: string | undefined;
  /** Resources per request, 1 to 100. Default: 20. */
  readonly pageSize?: number | undefined;
}

/** Creates, reads, changes and deletes resources. */
export interface ResourcesApi {
  /**
   * @example
   * const { id } = await server.resources.create({ type: 'order', fields: { number: 7 } });
   * @throws {ParleyError} 400 `invalid_request`, 403 `forbidden`
   */
  create(
    resource: { readonly type: string; readonly fields: JsonObject },
    options?: ResourceOptions,
  ): Promise<Resource>;
  /** @throws {ParleyError} 404 `not_found` */
  get(id: string, options?: ResourceOptions): Promise<Resource>;
  /**
   * Changes the given fields and keeps the others. Null removes a field.
   *
   * @example
   * await server.resources.update(id, { fields: { status: 'sent' } });
   * @throws {ParleyError} 404 `not_found`
   */
  update(id: string, change: { readonly fields: JsonObject }, options?: ResourceOptions): Promise<Resource>;
  /** Deletes a resource permanently. @throws {ParleyError} 404 `not_found` */
  delete(id: string, options?: ResourceOptions): Promise<void>;
  /**
   * All resources, newest first, with a request per page. Leave the loop to stop.
   *
   * @example
   * for await (const { id, fields } of server.resources.list({ type: 'order' })) console.log(id, fields);
   */
  list(options?: ListResourcesOptions): AsyncIterableIterator<Resource>;
}

interface WireResource {
  readonly id: string;
  readonly type: string;
  readonly fields: JsonObject;
  readonly created_at: string;
  readonly updated_at: string;
}

interface WireBody {
  readonly data: WireResource;
}

const PATH = '/v1/resources';

export function createResourcesApi(settings: Settings): ResourcesApi {
  const at = (id: string) => `${PATH}/${encodeURIComponent(id)}`;
  return {
    async create({ type, fields }, { signal } = {}) {
      const body = { type, fields };
      return fromWire((await sendJson<WireBody>(settings, { method: 'POST', path: PATH, body, signal })).data);
    },
    async get(id, { signal } = {}) {
      return fromWire((await sendJson<WireBody>(settings, { method: 'GET', path: at(id), signal })).data);
    },
    async update(id, { fields }, { signal } = {}) {
      const body = { fields };
      return fromWire((await sendJson<WireBody>(settings, { method: 'PATCH', path: at(id), body, signal })).data);
    },
    async delete(id, { signal } = {}) {
      await sendOnce(settings, { method: 'DELETE', path: at(id), signal });
    },
    list: ({ type, pageSize, signal } = {}) =>
      itemsOf(settings, { path: PATH, query: { type, limit: pageSize }, signal }, fromWire),
  };
}

function fromWire({ id, type, fields, created_at: createdAt, updated_at: updatedAt }: WireResource): Resource {
  return { id, type, fields, createdAt, updatedAt };
}
