import { GRAPHQL_INPUT } from '../../operation/input.ts';
import type { OperationRequest } from '../../operation/operation-request.ts';
import type { RouteInput, Variables } from '../bind.ts';
import { type Route, takesKey } from '../route.ts';
import { publishedVariables } from './bind.ts';

/**
 * A call of a published document as an operation. Unlike a document of the service it has limits, and its input has the
 * names and words of GraphQL: the same call over GraphQL gets the same errors.
 */
export function publishedOperation(
  route: Route,
  { variables: readVariables, key }: { readonly variables: () => Variables; readonly key: string | undefined },
): OperationRequest {
  const { published, schema } = route;
  if (!published) throw new Error(`${route.name} is not a published document.`);
  let variables: Variables | undefined;
  const read = () => {
    variables ??= readVariables();
    return variables;
  };
  return {
    schema,
    ...published.executed,
    isOwn: false,
    throwsErrors: published.throwsErrors,
    variables: read,
    style: GRAPHQL_INPUT,
    key,
    fingerprint: () => ['document', route.name, read()],
  };
}

/** The call that a request to the document's REST path makes. */
export function operationOfRequest(route: Route, request: RouteInput): OperationRequest {
  const key = takesKey(route) ? request.get('idempotency-key') : undefined;
  return publishedOperation(route, { variables: () => publishedVariables(route, request), key });
}
