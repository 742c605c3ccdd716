import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import type { ContextParts, OperationContext } from './context.ts';
import type { OperationCost } from './document-cost.ts';
import type { NameField } from './errors.ts';
import type { Retryable } from './idempotency.ts';
import type { InputStyle, Variables } from './input.ts';
import type { StreamPlace } from './stream-caps.ts';

/** A request whose caller is identified and within the rate limits. */
export type OpenRequest = Omit<ContextParts, 'authorized' | 'outOfReach' | 'throwsErrors'>;

/** An operation, as a transport passes it to the pipeline. */
export interface OperationRequest extends Retryable {
  /** The schema that the document was validated against. */
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Whether the document belongs to the service. Such documents have no size limits, and their mutations throw errors. */
  readonly isOwn: boolean;
  /** Whether mutations throw the errors that they can return, and look-ups that find nothing. Default: `isOwn`. */
  readonly throwsErrors?: boolean;
  /** The unvalidated variables from the client. */
  readonly variables: () => Variables;
  readonly style: InputStyle;
  readonly nameField?: NameField;
  /** The IDs in the path of the request. By default, the arguments of the root fields are used. */
  readonly address?: RunnerAddress;
  /** Called before an input error is reported, because 404 takes precedence over 400. */
  readonly requirePath?: (context: OperationContext) => Promise<void>;
  /** Whether the client can read a stream. @throws {ServiceError} not_acceptable */
  readonly requireStream?: () => void;
  /** The place of the stream in the response, even if only a later operation of the request streams. It is taken before this operation has an effect. */
  readonly streamPlace?: StreamPlace;
  /** Called with the cost of a document that does not belong to the service. */
  readonly reportCost?: (cost: OperationCost) => void;
}
