import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import { graphqlError, wireError } from './errors.ts';
import { withStatus } from './mask.ts';

const TEXTS = ['query', 'operationName', 'documentId'] as const;

const OBJECTS = ['variables', 'extensions'] as const;

/** Reads the parameters of a GET, a document's id among them. */
export function getParams({ log }: Services): Plugin {
  return {
    onRequestParse({ request, url, setRequestParser }) {
      if (request.method !== 'GET') return;
      setRequestParser(() => {
        try {
          return paramsOf(url.searchParams);
        } catch (error) {
          const wire = wireError(error, { log, requestId: '' });
          throw withStatus(graphqlError(wire), wire.status);
        }
      });
    },
  };
}

/** @throws {ServiceError} invalid_json */
function paramsOf(given: URLSearchParams): GraphQLParams {
  const texts = TEXTS.map((name) => [name, given.get(name) || undefined] as const);
  const objects = OBJECTS.map((name) => [name, jsonOf(name, given.get(name))] as const);
  return Object.fromEntries([...texts, ...objects]);
}

function jsonOf(name: string, text: string | null): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    throw new ServiceError('invalid_json', '{param} is not valid JSON.', { param: [name] });
  }
}
