import { type DocumentNode, GraphQLError, getOperationAST, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from './context.ts';
import { costOf } from './document-cost.ts';
import { requireModestShape, tooMuch } from './document-shape.ts';
import { wireError } from './errors.ts';
import { told } from './mask.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** What an operator decides of the documents that the GraphQL door takes. */
export interface DocumentRules {
  readonly introspection: boolean;
  readonly trusted: TrustedDocuments;
  readonly maxDepth: number;
  readonly maxCost: number;
  /** Milliseconds that a query may take. */
  readonly timeoutMs: number;
}

/** More than any person writes and any tool makes; a parser takes stack for each level. */
const MAX_TOKENS = 10_000;

/** Clients that gather what several parts of a page ask for come nowhere near. */
const MAX_ALIASES = 100;
const MAX_DIRECTIVES = 100;
const MAX_BREADTH = 200;

/** Refuses documents that ask for too much, before any of it is read (WIRE 13). */
export function boundedDocuments({ log }: Services, rules: DocumentRules): Plugin<GraphContext> {
  const shape = { depth: rules.maxDepth, breadth: MAX_BREADTH, aliases: MAX_ALIASES, directives: MAX_DIRECTIVES };
  const refusal = ({ schema, document, operationName, variableValues, contextValue }: ExecutionArgs) => {
    const operation = getOperationAST(document, operationName);
    const cost = operation ? costOf(schema, document, operation, variableValues ?? {}) : 0;
    if (cost <= rules.maxCost) return undefined;
    const { requestId } = contextValue as unknown as GraphContext;
    return { errors: [told(wireError(tooMuch('cost', cost, rules.maxCost), { log, requestId }))] };
  };
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => {
        const document = parsed(() => parseFn(source, { ...options, maxTokens: MAX_TOKENS }));
        requireModestShape(document, shape);
        return document;
      });
    },
    onValidate({ addValidationRule }) {
      if (!rules.introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onExecute({ args, setResultAndStopExecution }) {
      const refused = refusal(args);
      if (refused) setResultAndStopExecution(refused);
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const refused = refusal(args);
      if (refused) setResultAndStopExecution(refused);
    },
  };
}

type ExecutionArgs = Parameters<NonNullable<Plugin['onExecute']>>[0]['args'];

function parsed(parse: () => DocumentNode): DocumentNode {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new ServiceError('invalid_request', 'The document is nested too deeply.');
    if (error instanceof GraphQLError && /more that? \d+ tokens/.test(error.message)) {
      const most = MAX_TOKENS.toLocaleString('en');
      throw new ServiceError(
        'invalid_request',
        `The document has more than ${most} tokens, the most that it may have.`,
      );
    }
    throw error;
  }
}
