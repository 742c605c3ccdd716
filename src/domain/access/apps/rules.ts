import type { SomeServices } from '../../context.ts';
import { addressKey, RATE_LIMITS } from '../rate-limits.ts';
import { newAppCode, newAppRefreshToken, newAppToken } from '../tokens.ts';
import { appName } from './app-name.ts';
import type { AuthorizationRules } from './authorization-port.ts';
import { AppRecords } from './records.ts';
import { isSafeRedirect } from './redirect-uris.ts';
import { findRegisteredApp } from './registered-apps.ts';

/** The rules of the authorization server that belong to the service. */
export function authorizationRules({
  stores,
}: SomeServices<'prisma' | 'sql' | 'pubSub' | 'rateLimiter'>): AuthorizationRules {
  return {
    records: new AppRecords(stores),
    appName,
    isSafeRedirect,
    findRegisteredApp: (clientId) => findRegisteredApp(stores.prisma, clientId),
    tokens: { access: newAppToken, refresh: newAppRefreshToken, code: newAppCode },
    async mayReadDocument(address) {
      return (await stores.rateLimiter.consume(RATE_LIMITS.appDocuments, addressKey(address))).allowed;
    },
  };
}
