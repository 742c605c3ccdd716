import type { Request } from 'express';
import type { AuthorizationRules } from '../../domain/access/apps/authorization-port.ts';

/** The metadata of an app that the service reads. */
export interface AppClient {
  readonly clientId: string;
  readonly clientName?: string | undefined;
}

/** What the library gets from the service. Its file is a bundle of its own, so it creates nothing that others compare. */
export interface ProviderParts {
  readonly publicUrl: string;
  readonly rules: AuthorizationRules;
  /** The scopes of a resource that an app can name. Undefined: it is no resource of this service. */
  scopesOf(resource: string): readonly string[] | undefined;
  /** The page on which a person decides about a request for a resource. */
  decisionPage(resource: string, requestId: string): string;
  /** The cookie with the ID of a request. */
  readonly cookie: { readonly name: string; readonly key: string; readonly isSecure: boolean };
  /** Reads the documents and keys of apps. */
  readonly fetch: (url: string) => Promise<Response>;
  /** Whether a document or keys of an app may be read for a request now. */
  mayFetch(request: Request): Promise<boolean>;
  appOf(client: AppClient | undefined): { readonly name: string; readonly host: string | null } | undefined;
  onError(error: Error): void;
}
