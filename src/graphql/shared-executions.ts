import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute, Kind, visit } from 'graphql';
import type { GraphContext } from './context.ts';
import { mask } from './mask.ts';
import { cursorOf } from './open-results.ts';
import { placed } from './sent-events.ts';

/** Makes an event the result of a subscription. */
export interface Execution {
  tell(event: unknown): Promise<ExecutionResult>;
  leave(): void;
}

interface Shared {
  /** Kept here, once for all who share it. */
  readonly key: string;
  readonly tell: Execution['tell'];
  users: number;
}

/**
 * Executes feeds: those that a key asks by the same document with the same variables, once for each event that they share.
 * The first of them lends its context, which is that of the same credential; each ends with it for itself.
 */
export class SharedExecutions {
  readonly #shared = new Map<DocumentNode, Map<string, Shared>>();

  join(args: ExecutionArgs, isFeed: boolean): Execution {
    const { caller } = args.contextValue as GraphContext;
    if (!isFeed || caller?.kind !== 'api_key') return { tell: executing(args), leave() {} };
    const { document, operationName = null } = args;
    const scopes = [...caller.scopes].sort();
    const key = JSON.stringify([caller.id, caller.tokenHash, scopes, operationName, variablesOf(args)]);
    const ofDocument = this.#shared.get(document) ?? new Map<string, Shared>();
    const shared = ofDocument.get(key) ?? { key, tell: once(executing(args)), users: 0 };
    shared.users += 1;
    ofDocument.set(key, shared);
    this.#shared.set(document, ofDocument);
    return {
      tell: shared.tell,
      leave: () => {
        shared.users -= 1;
        if (shared.users > 0) return;
        ofDocument.delete(shared.key);
        if (ofDocument.size === 0) this.#shared.delete(document);
      },
    };
  }

  /** How many documents are executed. */
  get size(): number {
    return this.#shared.size;
  }
}

function executing(args: ExecutionArgs): Execution['tell'] {
  const { services, requestId } = args.contextValue as GraphContext;
  return async (event) => {
    const result = await execute({ ...args, rootValue: event });
    const isKnown = (args.contextValue as GraphContext).caller !== undefined;
    const errors = result.errors?.map((error) => mask(error, services, { requestId, isKnown }));
    return placed(errors ? { ...result, errors } : { ...result }, cursorOf(event));
  };
}

/** Events that feeds share are the same objects for all of them. */
function once(tell: Execution['tell']): Execution['tell'] {
  const results = new WeakMap<object, Promise<ExecutionResult>>();
  return (event) => {
    const known = results.get(event as object);
    if (known) return known;
    const result = tell(event);
    results.set(event as object, result);
    return result;
  };
}

/** Those that an event's result can depend on: where a feed has begun is none of it. */
function variablesOf({ document, variableValues }: ExecutionArgs): object {
  const start = startVariable(document);
  return { ...variableValues, ...(start !== undefined && { [start]: null }) };
}

const startVariables = new WeakMap<DocumentNode, { readonly name: string | undefined }>();

/** The variable that `after` is given by, where nothing else is. */
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
