import type { Role } from '../../contract/roles.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { DocumentKind } from '../../contract/statuses.ts';

/** What prevents a text from being published, and where. Lines and columns count from 1. */
export interface DocumentProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A parameter of a document's REST path. */
export interface DocumentParameter {
  /** The name of the variable. Of a header: the name of the header. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** The GraphQL type. */
  readonly type: string;
  readonly required: boolean;
}

/** How a document is called over REST. */
export interface DocumentRoute {
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly status: number;
  readonly parameters: readonly DocumentParameter[];
}

/** What one root field of a document needs of a caller, and of the author. */
export interface Requirement {
  readonly scope?: Scope;
  /** A key needs all of them. A member must be an owner or admin, unless `anyRole` is set. */
  readonly scopes?: readonly Scope[];
  readonly anyRole?: boolean;
}

/** The present permissions of the member or key that published a version. */
export interface DocumentAuthor {
  readonly scopes: ReadonlySet<Scope>;
  /** Undefined: a key, or the operator. */
  readonly role: Role | undefined;
}

/** What a valid document offers to its callers. */
export interface DocumentContract {
  readonly kind: DocumentKind;
  /** The SHA-256 of `trustedText` in hexadecimal. */
  readonly trustedId: string;
  /** The text without the directives and descriptions that only the service reads. */
  readonly trustedText: string;
  readonly route: DocumentRoute;
  /** The scopes that its callers need. */
  readonly scopes: readonly Scope[];
  /** What its root fields need of its callers, and of its author. */
  readonly requirements: readonly Requirement[];
  /** The root fields that do more than read. */
  readonly writes: readonly string[];
  /** The highest cost of a call. */
  readonly cost: number;
}

/** The result of compiling a text. */
export type CheckedDocument =
  | { readonly problems: readonly []; readonly contract: DocumentContract }
  | { readonly problems: readonly [DocumentProblem, ...DocumentProblem[]]; readonly contract: undefined };

/** A version of a document. Versions never change, so their compiled form can be cached by their ID. */
export interface VersionText {
  readonly documentId: string;
  readonly number: number;
  readonly name: string;
  /** Reads the text. Undefined if the document was unpublished meanwhile. */
  text(): Promise<string | undefined>;
  /** The present permissions of the author. Undefined if the author no longer exists. */
  author(): Promise<DocumentAuthor | undefined>;
}

/** Compiles documents against the public schema. Work in slices: compiling never blocks the process for long. */
export interface DocumentCompiler {
  /** Compiles a text that is not stored. */
  check(name: string, text: string): Promise<CheckedDocument>;
  /** Compiles a stored version, or returns its cached form. A newer schema can have problems with it. */
  checkVersion(version: VersionText): Promise<CheckedDocument>;
  /** The changes from a stored version to a text that break callers. Empty if the stored version has problems. */
  breakingChanges(before: VersionText, text: string): Promise<readonly string[]>;
}
