import type { Request, RequestHandler } from 'express';
import { chooseCoding, endJson } from '../../http/compression.ts';
import { isNotModified, REVALIDATED, tagOfBody } from '../../http/conditional.ts';
import { wireError } from '../../operation/errors.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { listPublished, requireDocumentsRead } from '../../operation/published-documents.ts';
import { sendError } from '../reply.ts';
import type { CompiledDocument } from './compile.ts';
import type { PublishedCompiler } from './compiler.ts';
import { openWithCredentials } from './serve.ts';

/**
 * Writes a file about documents. It takes one document after another, so that only as many are compiled and kept in memory
 * as the file can describe.
 */
type Write = (documents: AsyncIterable<CompiledDocument>) => Promise<string>;

/** A file about the documents of the caller's environment. Documents that this release does not accept are left out. */
export function serveFile(
  { pipeline, compiler }: { readonly pipeline: Pipeline; readonly compiler: PublishedCompiler },
  contentType: string,
  write: Write,
): RequestHandler {
  return async (request, response) => {
    const requestId = String(request.id);
    try {
      const opened = await openWithCredentials(pipeline, request);
      requireDocumentsRead(opened);
      const names = namesOf(request);
      const versions = (await listPublished(opened)).filter(({ name }) => names === undefined || names.has(name));
      const text = await write(compiler.compileAll(versions));
      const etag = tagOfBody(text);
      response.setHeader('ETag', etag).setHeader('Cache-Control', REVALIDATED);
      const coding = chooseCoding(response, text);
      if (isNotModified(request, etag)) return void response.status(304).end();
      response.setHeader('Content-Type', contentType);
      await endJson(response, text, coding);
    } catch (error) {
      await sendError(response, wireError(error, { log: pipeline.services.process.log, requestId }), requestId);
    }
  };
}

/** The documents that the query parameter `name` selects. It can be repeated. Undefined: all. */
function namesOf({ query: { name } }: Request): ReadonlySet<string> | undefined {
  return name === undefined ? undefined : new Set([name].flat().map(String));
}
