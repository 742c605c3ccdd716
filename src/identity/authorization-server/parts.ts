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
  /** The resources that an app can name. All of them are this service. */
  readonly resources: readonly string[];
  /** The cookie with the ID of a request. */
  readonly cookie: { readonly name: string; readonly key: string; readonly isSecure: boolean };
  /** Reads the documents and keys of apps. */
  readonly fetch: (url: string) => Promise<Response>;
  /** Whether a request may read the document of an app now. */
  mayReadDocument(request: Request, clientId: string): Promise<boolean>;
  appOf(client: AppClient | undefined): { readonly name: string; readonly host: string | null } | undefined;
  onError(error: Error): void;
}
