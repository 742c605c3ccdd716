import type { PageBranding } from '../branding/branding.ts';
import type { Scope } from '../scopes.ts';

/** Why the page for an end user's decision shows nothing to decide. */
export type ConnectProblem = 'unknown' | 'sign_in_failed' | 'sign_in_denied';

/** An app that asks an end user for access. */
export interface AskingApp {
  readonly requestId: string;
  /** The name that the app gives itself. */
  readonly name: string;
  /** The host of the document that describes the app. Null: nobody verified the app. */
  readonly host: string | null;
  /** The host, or the scheme of another program, that receives the access. */
  readonly redirectHost: string;
  readonly isLoopback: boolean;
  readonly scopes: readonly Scope[];
  /** The name of the person at the issuer. */
  readonly user: string;
  readonly issuerHost: string;
  /** The name of the deployment. */
  readonly deployment: string;
}

/** The data of the page on which an end user allows or denies the access of an app. */
export interface ConnectPageData {
  readonly branding?: PageBranding;
  readonly app?: AskingApp;
  readonly problem?: ConnectProblem;
  /** Where the person can try to sign in again. */
  readonly retry?: string;
}
