import express, { type RequestHandler, type Router } from 'express';
import type { WidgetBranding, WidgetSettings } from '../contract/branding/branding.ts';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import { allowsSite } from '../domain/access/anonymous.ts';
import { addressKey, countRequest, RATE_LIMITS } from '../domain/access/rate-limits.ts';
import { type HostedDeployment, hostedDeployment } from '../domain/access/visitors.ts';
import { accentShades } from '../domain/branding/branding.ts';
import { DIGEST_PATTERN, readLogo } from '../domain/branding/logo.ts';
import type { Services } from '../domain/context.ts';
import { exchangeOf } from '../http/exchange.ts';
import { reportLimit } from '../operation/rate-limits.ts';
import { IMMUTABLE } from './file.ts';

/** Seconds for which browsers and shared caches keep the settings of a widget. */
const SETTINGS_SECONDS = 60;

/** A logo that a browser opens as a page can load and run nothing. */
const LOGO_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Logos and the settings of widgets. Public, without cookies. `otherwise` handles other methods than GET. */
export function brandingFiles(services: Services, otherwise: RequestHandler): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const counted: RequestHandler = async (request, _response, next) => {
    const exchange = exchangeOf(request);
    const key = addressKey(exchange.address);
    await countRequest(services.stores.rateLimiter, RATE_LIMITS.branding, key, reportLimit(exchange));
    next();
  };
  router
    .route('/logos/:deployment_id/:digest')
    .get(counted, async (request, response) => {
      const id = idOf(request.params.deployment_id);
      const digest = String(request.params.digest);
      const logo = id && DIGEST_PATTERN.test(digest) ? await readLogo(services.stores.prisma, id, digest) : undefined;
      if (!logo) throw new ServiceError('not_found', 'This logo does not exist.');
      response.set({ 'Cache-Control': IMMUTABLE, 'Content-Security-Policy': LOGO_POLICY });
      response.type(logo.mimeType).end(logo.picture);
    })
    .all(otherwise);
  router
    .route('/widget/:deployment_id.json')
    .get(readableBySites, counted, async (request, response) => {
      const id = idOf(request.params.deployment_id);
      const deployment = id && (await hostedDeployment(services.stores.sql, id));
      const settings = deployment ? settingsFor(deployment, request.get('origin')) : UNAVAILABLE;
      response.set('Cache-Control', `public, max-age=${SETTINGS_SECONDS}`).json(settings);
    })
    .all(otherwise);
  return router;
}

const UNAVAILABLE: WidgetSettings = { state: 'unavailable' };

/** The response depends on the site. It contains nothing that the hosted page does not show to everyone. */
const readableBySites: RequestHandler = (_request, response, next) => {
  response.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
  response.vary('Origin');
  next();
};

/** Browsers send no Origin if the page is on this host. */
function settingsFor(deployment: HostedDeployment, origin: string | undefined): WidgetSettings {
  const { kind, allowlist, authRequired, branding } = deployment;
  const isPublic = allowlist.length > 0 || !authRequired;
  if (origin !== undefined && !(isPublic && allowsSite(allowlist, origin))) return { state: 'site_not_allowed' };
  const { theme, language, launcherPosition, launcherText } = branding;
  const accent = accentShades(branding);
  return {
    state: 'open',
    kind,
    branding: { accent, theme, language, launcherPosition, launcherText } satisfies WidgetBranding,
  };
}

function idOf(text: unknown): string | undefined {
  const id = String(text).toLowerCase();
  return UUID_PATTERN.test(id) ? id : undefined;
}
