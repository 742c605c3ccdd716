import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';

/** A function of `src`, as the walk reports it. */
export interface TracedFunction {
  /** A path within `src`. */
  readonly file: string;
  readonly name: string;
}

type Enter = (traced: TracedFunction, parameters: Readonly<Record<string, unknown>>) => void;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Loaded {
  readonly source?: string | Uint8Array | null;
}

/** Node's hooks, which the types of Node 20 do not have. */
const { registerHooks } = nodeModule as unknown as {
  registerHooks(hooks: {
    load(url: string, context: object, nextLoad: (url: string, context: object) => Loaded): Loaded;
  }): void;
};

/** Calls `enter` at the start of each named function of `src` that is loaded from now on, with its parameters. */
export function instrument(src: URL, enter: Enter): void {
  const functions: TracedFunction[] = [];
  const global = '__enterWalk';
  Object.assign(globalThis, {
    [global]: (id: number, parameters: Record<string, unknown>) => {
      const traced = functions[id];
      if (traced) enter(traced, parameters);
    },
  });
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith(src.href) || url.includes('/db/generated/') || loaded.source == null) return loaded;
      const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      const file = fileURLToPath(url.split('?')[0] ?? url).slice(fileURLToPath(src).length);
      const source = withCalls(text, (name, parameters) => {
        functions.push({ file, name });
        return `${global}(${functions.length - 1},{${parameters.join()}})`;
      });
      return { ...loaded, source };
    },
  });
}

type CallFor = (name: string, parameters: readonly string[]) => string;

function withCalls(text: string, callFor: CallFor): string {
  const inserts: Insert[] = [];
  const visit = (node: Node, name: string | undefined): void => {
    inserts.push(...callIn(node, name, callFor));
    for (const [key, child] of Object.entries(node)) {
      for (const one of [child].flat()) if (isNode(one)) visit(one, nameFor(node, key, name));
    }
  };
  visit(parseAst(text) as unknown as Node, undefined);
  inserts.sort((one, other) => other.at - one.at);
  return inserts.reduce((result, { at, text: added }) => result.slice(0, at) + added + result.slice(at), text);
}

interface Insert {
  readonly at: number;
  readonly text: string;
}

/** The call at the start of a named function with parameters. */
function callIn(node: Node, name: string | undefined, callFor: CallFor): Insert[] {
  const { body } = node;
  if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) || !isNode(body)) return [];
  const own = nameOf(node.id) ?? name;
  const parameters = (node.params as Node[]).flatMap(boundNames);
  if (!own || parameters.length === 0) return [];
  const call = callFor(own, parameters);
  if (body.type === 'BlockStatement') return [{ at: body.start + 1, text: `${call};` }];
  return [
    { at: body.start, text: `(${call},` },
    { at: body.end, text: ')' },
  ];
}

/** The name that a function gets from the node around it. */
function nameFor(node: Node, key: string, name: string | undefined): string | undefined {
  if (node.type === 'VariableDeclarator' && key === 'init') return nameOf(node.id);
  if (/^(MethodDefinition|Property|PropertyDefinition)$/.test(node.type) && key === 'value') return nameOf(node.key);
  // tsx wraps functions to keep their names.
  const isWrapper = node.type === 'CallExpression' && nameOf(node.callee) === '__name';
  return isWrapper && key === 'arguments' ? name : undefined;
}

const nameOf = (node: unknown): string | undefined =>
  isNode(node) && typeof node.name === 'string' ? node.name : undefined;

function boundNames(node: Node): string[] {
  if (node.type === 'Identifier') return [String(node.name)];
  const inner = node.left ?? node.argument ?? node.value ?? node.properties ?? node.elements ?? node.parameter;
  return (Array.isArray(inner) ? inner : [inner]).filter(isNode).flatMap(boundNames);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
