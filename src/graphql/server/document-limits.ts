import { type DocumentNode, GraphQLError, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import { formatCount } from '../../contract/quantities.ts';
import { requireShape, type ShapeLimits } from '../../operation/document-shape.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** Configured limits for documents of the GraphQL API. */
export interface DocumentRules {
  readonly introspection: boolean;
  /** Whether the API is a subgraph of Apollo Federation. */
  readonly federation: boolean;
  readonly trusted: TrustedDocuments;
  readonly maxDepth: number;
  readonly maxCost: number;
  /** Time limit of a query in milliseconds. */
  readonly timeoutMs: number;
}

/** More than people write or tools generate. The parser is recursive, so tokens also limit its stack. */
const MAX_TOKENS = 10_000;

/** Clients that collect all queries of a page stay far below these limits. */
const MAX_ALIASES = 100;
const MAX_DIRECTIVES = 100;
const MAX_BREADTH = 200;

/** The limits of the shape of a document that the service did not write. */
export function shapeLimits({ maxDepth }: Pick<DocumentRules, 'maxDepth'>): ShapeLimits {
  return { depth: maxDepth, breadth: MAX_BREADTH, aliases: MAX_ALIASES, directives: MAX_DIRECTIVES };
}

/** Limits a document's tokens and shape after parsing. The pipeline limits its cost. */
export function documentLimits(rules: DocumentRules): Plugin {
  const shape = shapeLimits(rules);
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => {
        const document = withParseErrors(() => parseFn(source, { ...options, maxTokens: MAX_TOKENS }));
        requireShape(document, shape);
        return document;
      });
    },
    onValidate({ addValidationRule, validateFn, setValidationFn }) {
      if (rules.introspection) return;
      addValidationRule(NoSchemaIntrospectionCustomRule);
      // Suggestions would reveal names of the schema.
      setValidationFn((schema, document, validationRules, options, typeInfo) =>
        validateFn(schema, document, validationRules, { ...options, hideSuggestions: true }, typeInfo),
      );
    },
  };
}

function withParseErrors(parse: () => DocumentNode): DocumentNode {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new ServiceError('invalid_request', 'The document is nested too deeply.');
    // graphql-js has no code for this error. A test pins its message.
    if (error instanceof GraphQLError && /more that? \d+ tokens/.test(error.message)) {
      const message = `The document has more than ${formatCount(MAX_TOKENS)} tokens. Split it into several documents.`;
      throw new ServiceError('invalid_request', message);
    }
    throw error;
  }
}
