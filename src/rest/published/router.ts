import express, { type Router } from 'express';
import { rejectMethod } from '../../http/unrouted.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import { documentsTypes, documentsZod } from './artefacts.ts';
import type { PublishedCompiler } from './compiler.ts';
import { serveFile } from './files.ts';
import { documentsOpenApi } from './openapi.ts';
import { DOCUMENTS_PATH } from './path.ts';
import { servePublished } from './serve.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/** The published documents of the caller's environment, as REST paths. */
export function publishedRouter(pipeline: Pipeline, compiler: PublishedCompiler, version: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const parts = { pipeline, compiler };
  const { publicUrl: url } = pipeline.services.settings;
  for (const [name, handler] of [
    ['openapi.json', serveFile(parts, JSON_TYPE, (documents) => documentsOpenApi(documents, { version, url }))],
    ['documents.d.ts', serveFile(parts, TEXT, documentsTypes)],
    ['documents.zod.ts', serveFile(parts, TEXT, documentsZod)],
  ] as const) {
    router.route(`${DOCUMENTS_PATH}/${name}`).get(handler).all(rejectMethod('GET, HEAD, OPTIONS'));
  }
  router.all(`${DOCUMENTS_PATH}/*path`, servePublished(pipeline, compiler));
  return router;
}
