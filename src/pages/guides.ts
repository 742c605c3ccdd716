import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { ServiceError } from '../contract/errors.ts';
import { file } from './file.ts';

/** The guides are text: they run no script and load one style sheet. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page of `docs/README.md`. */
const INDEX = 'README';

const MARKDOWN = 'text/markdown; charset=utf-8';

/**
 * The guides of `docs/`: `/docs/guides` (the index), `/docs/guides/{name}` as HTML, `/docs/guides/{name}.md`, and
 * `/llms.txt`. `reference` says whether the service serves its contracts, which `/llms.txt` then links to.
 */
export function guidePages(root: string, reference: boolean, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  // The build renders the guides, because a request must not hold the event loop for so long.
  const built = join(root, 'dist/guides');
  const names = readdirSync(built).flatMap((name) => (name.endsWith('.html') ? [name.slice(0, -'.html'.length)] : []));
  const markdownOf = (name: string) => file(MARKDOWN, () => readFileSync(join(root, 'docs', `${name}.md`), 'utf8'));
  const served = new Map(
    names
      .filter((name) => name !== INDEX)
      .flatMap((name) => [
        [name, page(built, name)],
        [`${name}.md`, markdownOf(name)],
      ]),
  );
  router.route('/docs/guides').get(page(built, INDEX)).all(otherwise);
  router
    .route('/docs/guides.css')
    .get(file('text/css; charset=utf-8', () => readFileSync(join(root, 'public/guides/page.css'))))
    .all(otherwise);
  // The name is a key of the map and never part of a file path, so no name leads out of `docs/`.
  router
    .route('/docs/guides/:name')
    .get((request, response, next) => {
      const serve = served.get(request.params.name);
      if (!serve) throw new ServiceError('not_found', 'There is no guide with this name. `/docs/guides` lists them.');
      return serve(request, response, next);
    })
    .all(otherwise);
  router
    .route('/llms.txt')
    .get(file('text/plain; charset=utf-8', () => llmsText(root, reference)))
    .all(otherwise);
  return router;
}

function page(folder: string, name: string): RequestHandler {
  const serve = file('text/html; charset=utf-8', () => readFileSync(join(folder, `${name}.html`)));
  return (request, response, next) => {
    response.set({ 'Content-Security-Policy': POLICY, 'X-Frame-Options': 'DENY' });
    return serve(request, response, next);
  };
}

/** `llms.txt` of the repository, with the paths of the service instead of those of the files. */
function llmsText(root: string, reference: boolean): string {
  const text = readFileSync(join(root, 'llms.txt'), 'utf8').replaceAll('](docs/', '](docs/guides/');
  const lines = text.split('\n').filter((line) => reference || !line.includes('](schema/'));
  return lines.join('\n').replaceAll('](schema/', '](');
}
