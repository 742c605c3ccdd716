import type { Scope } from '../../../contract/scopes.ts';

/** The kinds of records that are stored. The library names others, which this service does not use. */
export const RECORD_KINDS = [
  'AccessToken',
  'AuthorizationCode',
  'Grant',
  'Interaction',
  'RefreshToken',
  'ReplayDetection',
] as const;

export type RecordKind = (typeof RECORD_KINDS)[number];

/** The content of a record, in the format of the library. It contains no secret. */
export type RecordPayload = Readonly<Record<string, unknown>>;

export interface StoredRecord {
  readonly payload: RecordPayload;
  readonly appId: string | null;
  readonly consumedAt: Date | null;
}

/** A record to store. */
export interface NewRecord {
  readonly kind: RecordKind;
  /** The ID of the library: of a code or token, its secret. */
  readonly id: string;
  readonly payload: RecordPayload;
  readonly seconds: number;
  /** Undefined: nobody has allowed the app yet. */
  readonly appId: string | undefined;
}

/** The records of the authorization server, for all workspaces. */
export interface RecordStore {
  /** The record, unless it has expired. */
  find(kind: RecordKind, id: string): Promise<StoredRecord | undefined>;
  /**
   * Stores a record. A record that exists keeps the members that the new payload does not have. False if the app was
   * disconnected.
   */
  save(record: NewRecord): Promise<boolean>;
  remove(kind: RecordKind, id: string): Promise<void>;
  /** Uses a code or a refresh token. False if another request used it before. */
  consume(kind: RecordKind, id: string): Promise<boolean>;
  /** Whether the person who allowed an app can still do so, and the app was not disconnected. */
  isConnected(appId: string): Promise<boolean>;
  /** Disconnects an app whose code or token was used twice, or which ended its own access. All of its tokens end. */
  disconnect(appId: string): Promise<void>;
}

/** An app that registered itself. */
export interface RegisteredApp {
  readonly clientId: string;
  readonly name: string | null;
  readonly redirectUris: readonly string[];
}

/** What the authorization server needs of the service. */
export interface AuthorizationRules {
  readonly records: RecordStore;
  /** The registered app. Registration can be off: an app that a member has connected keeps working. */
  findRegisteredApp(clientId: string): Promise<RegisteredApp | undefined>;
  /** The name that an app gives itself, without what could mislead a reader. Undefined: it gives no name. */
  appName(name: unknown): string | undefined;
  /** Whether nobody on the way can read the code that an app gets at this address. */
  isSafeRedirect(address: string): boolean;
  /** Creates the secrets of codes and tokens. */
  readonly tokens: { access(): string; refresh(): string; code(): string };
  /** Whether a request from an IP address may read the document of an app now. */
  mayReadDocument(address: string): Promise<boolean>;
}

/** What an app asks a member or an end user for. */
export interface AppRequest {
  /** The addresses that the app names as resources. */
  readonly resources: readonly string[];
  readonly clientId: string;
  readonly clientName: string;
  /** The host of the document that the client ID names. Null: nobody verified the app. */
  readonly clientHost: string | null;
  /** Where the browser returns to, with the code. */
  readonly redirectUrl: string;
  readonly scopes: readonly Scope[];
}

/** An app that a member or an end user has allowed. */
export interface AllowedApp {
  readonly appId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date;
}

/** What an app of a member can name as the resource. All of them are this service. An app can write the origin with a slash. */
export function resourcesOf(publicUrl: string): readonly string[] {
  return [`${publicUrl}/mcp`, publicUrl, `${publicUrl}/`];
}

/** The format of the records of the authorization server's library. Implemented in `src/identity`. */
export interface AuthorizationPort {
  /** Reads the record of a request. */
  requestOf(payload: RecordPayload): AppRequest;
  /** The record of the permission of a member, whose ID is that of the app. */
  grantOf(app: AllowedApp, request: RecordPayload): RecordPayload;
  /** The members that a decision adds to the record of a request. */
  decisionOf(appId: string | undefined): RecordPayload;
}
