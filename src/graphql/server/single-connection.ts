import type { Request, Response } from 'express';
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../../contract/errors.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import type { Opening } from './opening.ts';
import { isRetryable, type PipelineOutput } from './pipelined.ts';
import { RESERVED_MS, SharedStream } from './shared-stream.ts';

const TOKEN_HEADER = 'x-graphql-event-stream-token';

/** An operation on a shared stream, with the ID that its client chose. */
export interface SharedOperation {
  readonly stream?: SharedStream;
  readonly operationId?: string;
}

/** Sends the results of an operation to its stream and responds with 202. A rejected operation gets its error as response. */
export const sharedResults: Plugin = {
  onResultProcess({ serverContext, setResultProcessor }) {
    const { stream, operationId, output } = serverContext as unknown as SharedOperation & {
      readonly output: PipelineOutput;
    };
    if (!stream || operationId === undefined) return;
    setResultProcessor((result, { Response }) => {
      const single = result as ExecutionResult;
      const { errors } = single;
      if (errors && (!output.isExecuted || isRetryable(output, single))) return rejected(errors, Response);
      void stream.run(operationId, single, output.results);
      return new Response(null, { status: 202 });
    }, 'application/json');
  },
};

function rejected(
  errors: NonNullable<ExecutionResult['errors']>,
  ResponseType: typeof globalThis.Response,
): globalThis.Response {
  const { status = 400, http } = (errors[0]?.extensions ?? {}) as {
    status?: number;
    http?: { headers?: Readonly<Record<string, string>> };
  };
  const headers = { ...http?.headers, 'content-type': 'application/json; charset=utf-8' };
  return new ResponseType(JSON.stringify({ errors }), { status, headers });
}

/** Executes a request for a shared stream, or in the distinct connections mode. */
type Execute = (request: Request, response: Response, opening: Opening, operation?: SharedOperation) => Promise<void>;

/** Handles a request whose caller is identified. */
type Handle = (request: Request, response: Response, opened: OpenRequest) => Promise<void> | void;

/**
 * The single connection mode of GraphQL over SSE: PUT reserves a stream, GET reads it, POST starts an operation
 * and DELETE stops one. A stream belongs to the process that reserved it. Requests without a token use the distinct
 * connections mode, the default of the protocol's clients.
 */
export function singleConnection(
  pipeline: Pipeline,
  execute: Execute,
): (request: Request, response: Response, opening: Opening) => Promise<void> | void {
  const streams = new Map<string, SharedStream>();
  pipeline.services.process.draining.addEventListener('abort', () => {
    for (const stream of streams.values()) stream.interrupt();
  });
  const streamOf = (request: Request): SharedStream => {
    const stream = streams.get(tokenOf(request) ?? '');
    if (stream) return stream;
    throw new ServiceError(
      'not_found',
      `This stream does not exist. Reserve one with PUT and read it within ${RESERVED_MS / 1_000} s.`,
    );
  };
  const methods: Readonly<Record<string, Handle>> = {
    PUT(_request, response, { identity, exchange }) {
      const leave = pipeline.streamCaps.enter(identity.caller, exchange.address);
      const stream = new SharedStream(() => {
        streams.delete(stream.token);
        leave();
      });
      streams.set(stream.token, stream);
      response.status(201).type('text/plain').send(stream.token);
    },
    GET(request, response) {
      const stream = streamOf(request);
      if (stream.isRead) throw new ServiceError('request_in_progress', 'This stream already has a reader.');
      stream.connect(response);
      if (pipeline.services.process.draining.aborted) stream.interrupt();
    },
    POST(request, response, opened) {
      const stream = streamOf(request);
      const operationId = stream.admit(request.body?.extensions?.operationId);
      response.once('close', () => response.statusCode === 202 || stream.cancel(operationId));
      return execute(request, response, { opened }, { stream, operationId });
    },
    async DELETE(request, response) {
      const id = queryOf(request).get('operationId');
      const stopped = streamOf(request).stop(id ?? '');
      response.status(200).end();
      await stopped;
    },
  };
  return (request, response, opening) => {
    const method = methods[request.method];
    const isDistinct = ['GET', 'POST'].includes(request.method) && tokenOf(request) === undefined;
    const isRejected = request.method === 'POST' && !opening.opened;
    if (isDistinct || isRejected) return execute(request, response, opening);
    if (!opening.opened) throw opening.rejection;
    if (method) return method(request, response, opening.opened);
    response.setHeader('Allow', Object.keys(methods).join(', '));
    throw new ServiceError('method_not_allowed', 'This path accepts PUT, GET, POST and DELETE.');
  };
}

function tokenOf(request: Request): string | undefined {
  return request.get(TOKEN_HEADER) ?? queryOf(request).get('token') ?? undefined;
}

function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URL(originalUrl, 'http://localhost').searchParams;
}
