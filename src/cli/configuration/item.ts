import { isDeepStrictEqual } from 'node:util';
import type { FieldPath } from '../../contract/errors.ts';
import type { WorkflowConfig } from '../../domain/workflows/config.ts';
import type { Api } from './api.ts';
import type { ConfigurationFile } from './file-schema.ts';

export type SectionName = Exclude<keyof ConfigurationFile, 'version'>;

type Fields = Readonly<Record<string, unknown>>;

/** Something that the environment has. */
export interface CurrentItem {
  readonly key: string;
  /** In the form of the file, without defaults. */
  readonly value: Fields;
  /** Its ID in the API. */
  readonly id: string;
}

/** Something that the file has. */
export interface FileItem {
  readonly key: string;
  readonly value: Fields;
  readonly path: FieldPath;
}

/** What the command needs to change the environment. */
export interface ApplyContext {
  readonly api: Api;
  /** The IDs of workflows and deployments by name. Steps add what they create. */
  readonly workflowIds: Map<string, number>;
  /** The revisions of the plan, and those of later steps: a change of somebody else in between is an error. */
  readonly revisions: Map<string, number>;
  readonly drafts: Map<string, WorkflowConfig>;
  readonly deploymentIds: Map<string, string>;
  /** The value of an environment variable that the file names. */
  secret(variable: string): string;
  /** Stores or prints a secret that the service shows once. */
  keepSecret(name: string, secret: string): Promise<void>;
  /** Publishes documents that break their callers. */
  readonly allowBreaking: boolean;
}

/** One request or several that belong together. */
export interface Step {
  readonly effect: 'create' | 'change' | 'remove';
  readonly section: SectionName;
  /** The noun with the key, like `deployment "Support"`. */
  readonly title: string;
  /** Where the file describes it. */
  readonly path?: FieldPath;
  readonly before?: Fields | undefined;
  readonly after?: Fields | undefined;
  /** Facts that the difference does not show. */
  readonly notes?: readonly string[];
  /** Environment variables that the step sends. */
  readonly variables?: readonly { readonly name: string; readonly path: FieldPath }[];
  /** Whether the service returns a secret. */
  readonly createsSecret?: boolean;
  run(context: ApplyContext): Promise<void>;
}

/** The fields that have a value and differ from the default. */
export function compact(value: Fields, defaults: Fields = {}): Fields {
  const fields = Object.entries(value).filter(
    ([name, field]) => field !== null && field !== undefined && !isDeepStrictEqual(field, defaults[name]),
  );
  return Object.fromEntries(fields);
}

export function requiredId<Id>(ids: ReadonlyMap<string, Id>, name: string): Id {
  const id = ids.get(name);
  if (id === undefined) throw new Error('The plan checks that names exist.');
  return id;
}
