import {
  allowInsecureRequests,
  customFetch,
  discovery,
  type ExportedJWKSCache,
  type ServerMetadata,
} from 'openid-client';
import { BoundedCache, bytesOfJson } from '../cache/bounded-cache.ts';
import { LIMITS } from '../contract/limits.ts';
import type { SafeFetch } from './configuration.ts';

/** How long the configuration of a provider is cached. */
const FRESH_MS = 10 * 60_000;

/** Bytes of the keys of a provider, which are added later. */
const KEYS_BYTES = 4 * LIMITS.jwksBytes;

/** The public configuration of a provider, and its keys after the first sign-in. */
export interface Provider {
  readonly server: ServerMetadata;
  keys: ExportedJWKSCache | undefined;
}

/** The configurations of providers by issuer. They contain no secret, so workspaces share them. */
export class DiscoveryCache {
  readonly #monotonicMs: () => number;
  readonly #entries = new BoundedCache<{ readonly provider: Provider; readonly readAt: number }>('identityProviders');

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  async read(issuer: string, fetch: SafeFetch): Promise<Provider> {
    const entry = this.#entries.get(issuer);
    if (entry && this.#monotonicMs() - entry.readAt < FRESH_MS) return entry.provider;
    return this.refresh(issuer, fetch);
  }

  /** Reads the configuration, even if it is cached. */
  async refresh(issuer: string, fetch: SafeFetch): Promise<Provider> {
    const config = await discovery(new URL(issuer), 'unused', undefined, undefined, {
      [customFetch]: fetch,
      execute: [allowInsecureRequests],
    });
    const provider = { server: { ...config.serverMetadata() }, keys: undefined };
    const entry = { provider, readAt: this.#monotonicMs() };
    this.#entries.set(issuer, entry, bytesOfJson(provider.server) + KEYS_BYTES);
    return provider;
  }
}
