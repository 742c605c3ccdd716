import { LIMITS } from '../../contract/limits.ts';
import {
  type AuthorizationRules,
  RECORD_KINDS,
  type RecordKind,
  type RecordStore,
} from '../../domain/access/apps/authorization-port.ts';

/** A record as the library knows it. */
export type Payload = Record<string, unknown> & { grantId?: string };

/** What the adapter needs of the library. */
export interface AdapterParts {
  readonly records: RecordStore;
  readonly publicUrl: string;
  /** The name of the app of the current request, and the host that vouches for it. */
  currentApp(): { readonly name: string; readonly host: string | null } | undefined;
  /** The error of a code or token that does not work any more. */
  invalidGrant(reason: string): Error;
}

/**
 * Stores the records of the library under hashes of their IDs. Sessions of the library are not stored: every request asks
 * the person again.
 */
export class RecordAdapter {
  readonly #kind: RecordKind | undefined;
  readonly #parts: AdapterParts;

  constructor(name: string, parts: AdapterParts) {
    this.#kind = RECORD_KINDS.find((kind) => kind === name);
    this.#parts = parts;
  }

  async upsert(id: string, { jti: _id, returnTo: _url, ...payload }: Payload, seconds: number): Promise<void> {
    const { records, currentApp, invalidGrant } = this.#parts;
    if (this.#kind === undefined) return;
    const app = this.#kind === 'Interaction' ? { app: currentApp() } : {};
    const appId = payload.grantId;
    // Some lifetimes are those that an app names.
    const lifetime = Math.min(seconds, LIMITS.appDays * 86_400);
    const isSaved = await records.save({
      ...{ kind: this.#kind, id, appId, seconds: lifetime },
      payload: { ...app, ...payload },
    });
    // The app was disconnected since the library read its grant.
    if (!isSaved) throw invalidGrant('the app was disconnected');
  }

  async find(id: string): Promise<Payload | undefined> {
    const { records, publicUrl } = this.#parts;
    const stored = this.#kind && (await records.find(this.#kind, id));
    if (!stored) return undefined;
    const { payload, consumedAt } = stored;
    if (this.#kind === 'Interaction') return { ...payload, jti: id, returnTo: `${publicUrl}/oauth/authorize/${id}` };
    return { ...payload, jti: id, ...(consumedAt && { consumed: Math.floor(consumedAt.getTime() / 1_000) }) };
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /** Two requests with the same code or refresh token: one of them is an attack, so both lose the app. */
  async consume(id: string): Promise<void> {
    const { records, invalidGrant } = this.#parts;
    if (this.#kind === undefined || (await records.consume(this.#kind, id))) return;
    const stored = await records.find(this.#kind, id);
    if (stored?.appId) await records.disconnect(stored.appId);
    throw invalidGrant('it was used before');
  }

  async destroy(id: string): Promise<void> {
    const { records } = this.#parts;
    if (this.#kind === 'Grant') await records.disconnect(id);
    else if (this.#kind) await records.remove(this.#kind, id);
  }

  /** The library also destroys the grant, which ends all codes and tokens. */
  async revokeByGrantId(): Promise<void> {}
}

/** Finds apps that registered themselves. The library does not write them. */
export class ClientAdapter extends RecordAdapter {
  readonly #rules: Pick<AuthorizationRules, 'findRegisteredApp'>;

  constructor(name: string, parts: AdapterParts, rules: Pick<AuthorizationRules, 'findRegisteredApp'>) {
    super(name, parts);
    this.#rules = rules;
  }

  override async find(id: string): Promise<Payload | undefined> {
    const app = await this.#rules.findRegisteredApp(id);
    if (!app) return undefined;
    return {
      client_id: app.clientId,
      redirect_uris: [...app.redirectUris],
      ...(app.name !== null && { client_name: app.name }),
    };
  }
}
