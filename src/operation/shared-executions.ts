import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute, Kind, visit } from 'graphql';
import { isBypassOn } from '../contract/bypasses.ts';
import type { OperationContext } from './context.ts';
import { cursorOf, type Describe, type StreamItem } from './subscription-results.ts';

/** Executes a subscription's document for each of its events. */
export interface Execution {
  /** The result of an event, or a promise of it. */
  run(event: unknown): StreamItem | Promise<StreamItem>;
  leave(): void;
}

interface Shared {
  readonly key: string;
  readonly run: Execution['run'];
  users: number;
}

/**
 * Executes subscriptions. Feeds of one API key with the same document and variables share one execution of each event. It
 * uses the context of the first subscriber.
 */
export class SharedExecutions {
  readonly #shared = new Map<DocumentNode, Map<string, Shared>>();

  join(args: ExecutionArgs, isFeed: boolean, describe: Describe): Execution {
    const { caller } = args.contextValue as OperationContext;
    const isShared = isFeed && caller?.kind === 'api_key' && isBypassOn('shared-executions');
    if (!isShared) return { run: executing(args, describe), leave() {} };
    const { document, operationName = null } = args;
    const scopes = [...caller.scopes].sort();
    const key = JSON.stringify([
      caller.id,
      caller.tokenHash,
      scopes,
      caller.deploymentIds,
      operationName,
      variablesOf(args),
    ]);
    const ofDocument = this.#shared.get(document) ?? new Map<string, Shared>();
    const shared = ofDocument.get(key) ?? { key, run: once(executing(args, describe)), users: 0 };
    shared.users += 1;
    ofDocument.set(key, shared);
    this.#shared.set(document, ofDocument);
    return {
      run: shared.run,
      leave: () => {
        shared.users -= 1;
        if (shared.users > 0) return;
        ofDocument.delete(shared.key);
        if (ofDocument.size === 0) this.#shared.delete(document);
      },
    };
  }

  /** The number of shared documents. */
  get size(): number {
    return this.#shared.size;
  }
}

/** Returns the item at once if no resolver is asynchronous: then an event reaches all subscribers in one tick. */
function executing(args: ExecutionArgs, describe: Describe): Execution['run'] {
  const itemOf = (event: unknown, result: ExecutionResult): StreamItem => {
    const errors = result.errors?.map(describe);
    return { result: errors ? { ...result, errors } : result, cursor: cursorOf(event) };
  };
  return (event) => {
    const result = execute({ ...args, rootValue: event });
    return result instanceof Promise ? result.then((executed) => itemOf(event, executed)) : itemOf(event, result);
  };
}

/** All subscribers of a feed receive the same event object, so results are cached by event. */
function once(run: Execution['run']): Execution['run'] {
  const results = new WeakMap<object, StreamItem | Promise<StreamItem>>();
  return (event) => {
    const known = results.get(event as object);
    if (known) return known;
    const item = run(event);
    const result =
      item instanceof Promise
        ? item.then((executed) => {
            results.set(event as object, executed);
            return executed;
          })
        : item;
    results.set(event as object, result);
    return result;
  };
}

/** The variables without the feed's start position: results do not depend on it. */
function variablesOf({ document, variableValues }: ExecutionArgs): object {
  const start = startVariable(document);
  return { ...variableValues, ...(start !== undefined && { [start]: null }) };
}

const startVariables = new WeakMap<DocumentNode, { readonly name: string | undefined }>();

/** The variable for the argument `after`, if the document uses it for nothing else. */
function startVariable(document: DocumentNode): string | undefined {
  const known = startVariables.get(document);
  if (known) return known.name;
  const uses: string[] = [];
  let start: string | undefined;
  visit(document, {
    VariableDefinition: () => false,
    Argument({ name, value }) {
      if (name.value === 'after' && value.kind === Kind.VARIABLE) start = value.name.value;
    },
    Variable({ name }) {
      uses.push(name.value);
    },
  });
  const name = uses.filter((used) => used === start).length === 1 ? start : undefined;
  startVariables.set(document, { name });
  return name;
}
