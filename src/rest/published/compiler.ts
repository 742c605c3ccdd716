import type { GraphQLSchema } from 'graphql';
import { Pace } from '../../bounds/pace.ts';
import { BoundedCache } from '../../cache/bounded-cache.ts';
import { LIMITS } from '../../contract/limits.ts';
import type {
  CheckedDocument,
  DocumentCompiler,
  DocumentProblem,
  VersionText,
} from '../../domain/documents/compiler-port.ts';
import { type DocumentRules, shapeLimits } from '../../graphql/server/document-limits.ts';
import { isAuthorized } from '../../operation/published-documents.ts';
import { breakingOpenApiChanges } from '../openapi-changes.ts';
import { type CompiledDocument, type CompilerRules, compileText } from './compile.ts';
import { withDocumentDirectives } from './directives.ts';
import { problemOf } from './problem.ts';

/** A compiled document, or its problems. */
export type Compiled =
  | { readonly problems: readonly []; readonly document: CompiledDocument }
  | { readonly problems: readonly [DocumentProblem, ...DocumentProblem[]]; readonly document: undefined };

/** Bytes of a compiled document, per character of its text. */
const BYTES_PER_CHARACTER = 100;

/** A short text takes memory too. */
const LEAST_LENGTH = 1_000;

const DELETED: DocumentProblem = { message: 'The document was unpublished.', line: 1, column: 1 };

/** Compiles published documents against the public schema, one after another. */
export class PublishedCompiler implements DocumentCompiler {
  readonly #rulesOf: () => CompilerRules;
  #rules: CompilerRules | undefined;
  readonly #versions = new BoundedCache<Promise<Compiled>>('compiledDocuments');
  #last: Promise<unknown> = Promise.resolve();

  constructor(schema: GraphQLSchema, rules: Pick<DocumentRules, 'maxDepth' | 'maxCost'>) {
    // At the first document, because extending the schema takes a twelfth of a start.
    this.#rulesOf = () => {
      const shape = { ...shapeLimits(rules), breadth: LIMITS.documentBreadth };
      return { schema, extended: withDocumentDirectives(schema), shape, maxCost: rules.maxCost };
    };
  }

  async check(name: string, text: string): Promise<CheckedDocument> {
    return checked(await this.compile(name, text));
  }

  async checkVersion(version: VersionText): Promise<CheckedDocument> {
    return checked(await this.compileVersion(version));
  }

  /** The compiled form of a stored version. Versions never change, so the cache needs no invalidation. */
  async compileVersion(version: VersionText): Promise<Compiled> {
    const key = `${version.documentId}:${version.number}`;
    const known = this.#versions.get(key);
    if (known) return known;
    const text = await version.text();
    if (text === undefined) return { problems: [DELETED], document: undefined };
    const compiled = this.#versions.get(key) ?? this.compile(version.name, text);
    this.#versions.set(key, compiled, BYTES_PER_CHARACTER * (text.length + LEAST_LENGTH));
    // A fault is not a property of the version.
    compiled.catch(() => this.#versions.delete(key));
    return compiled;
  }

  /** The compiled forms of the versions that can run. Other requests are served between two versions. */
  async *compileAll(versions: readonly VersionText[]): AsyncGenerator<CompiledDocument, undefined> {
    const pace = new Pace();
    for (const version of versions) {
      const { document } = await this.compileVersion(version);
      const canRun = document && (await isAuthorized(version, document.contract));
      if (canRun) yield document;
      await pace.pause();
    }
  }

  async breakingChanges(before: VersionText, text: string): Promise<readonly string[]> {
    const was = await this.compileVersion(before);
    const is = await this.compile(before.name, text);
    if (!was.document || !is.document) return [];
    return breakingOpenApiChanges(openApiPart(was.document), openApiPart(is.document));
  }

  /** Compiles a text that is not stored. One text at a time, so that many of them do not delay the same turn of the event loop. */
  compile(name: string, text: string): Promise<Compiled> {
    const compiled = this.#last.then(() => this.#compileNow(name, text));
    this.#last = compiled.catch(() => {});
    return compiled;
  }

  async #compileNow(name: string, text: string): Promise<Compiled> {
    this.#rules ??= this.#rulesOf();
    const rules = this.#rules;
    try {
      return { problems: [], document: await compileText(rules, name, text) };
    } catch (error) {
      const errors = error instanceof AggregateError ? error.errors : [error];
      const [first, ...others] = errors.map(problemOf);
      if (!first) throw error;
      return { problems: [first, ...others], document: undefined };
    }
  }
}

function checked(compiled: Compiled): CheckedDocument {
  if (!compiled.document) return { problems: compiled.problems, contract: undefined };
  return { problems: [], contract: compiled.document.contract };
}

/** The document as a part of OpenAPI, for comparisons. */
function openApiPart({ route, operation, schemas }: CompiledDocument) {
  return { paths: { [route.path]: { [route.method]: operation } }, components: { schemas } } as never;
}
