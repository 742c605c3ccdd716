import { hash } from 'node:crypto';
import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql';
import { LIMITS } from '../../contract/limits.ts';
import { OWN_DIRECTIVES } from './directives.ts';
import { problemAt } from './problem.ts';

/** A parsed text with its only operation. */
export interface DocumentSource {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** @throws {GraphQLError} */
export function parseText(text: string): DocumentSource {
  const document = parse(text, { maxTokens: LIMITS.documentTokens });
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [operation, second] = operations;
  if (!operation) throw problemAt(document.definitions[0], 'The text needs a query or a mutation.');
  if (second) throw problemAt(second, 'The text must have only one operation. Publish each operation as a document.');
  const other = document.definitions.find(
    ({ kind }) => kind !== Kind.OPERATION_DEFINITION && kind !== Kind.FRAGMENT_DEFINITION,
  );
  if (other) throw problemAt(other, 'The text can only have one operation and its fragments.');
  if (operation.operation === 'subscription') {
    throw problemAt(
      operation,
      'A subscription cannot be published. Publish a query, or follow a feed of the REST API.',
    );
  }
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return { document, operation, fragments: new Map(fragments.map((node) => [node.name.value, node])) };
}

/** What a trusted client sends, and its ID. */
export interface TrustedText {
  readonly text: string;
  readonly id: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** The text without the directives and descriptions that only the service reads, as graphql-js prints it. */
export function trustedTextOf({ document }: Pick<DocumentSource, 'document'>): TrustedText {
  const plain = visit(document, {
    Directive: ({ name }: DirectiveNode) => (OWN_DIRECTIVES.has(name.value) ? null : undefined),
    OperationDefinition: { leave: withoutDescription },
    FragmentDefinition: { leave: withoutDescription },
    VariableDefinition: { leave: withoutDescription },
  });
  const text = print(plain);
  // Parsed again, so that the plan of the executed document belongs to these nodes and to no others.
  const executed = parse(text, { noLocation: true });
  const operation = executed.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (!operation) throw new Error('A trusted text has an operation.');
  return { text, id: hash('sha256', text, 'hex'), document: executed, operation };
}

function withoutDescription<Node extends { readonly description?: unknown }>(node: Node): Node {
  const { description: _, ...rest } = node;
  return rest as Node;
}
