import { GraphQLError } from 'graphql';

/**
 * The error of Apollo's protocol for servers that do not store documents. After it clients send the full document. They
 * compare message and code, so both differ from the form of other errors. The HTTP status is 200.
 */
export class PersistedQueryNotSupported extends GraphQLError {
  constructor() {
    super('PersistedQueryNotSupported', { extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } });
  }
}
