import { z } from 'zod';
import { OIDC } from '../../../shapes/sign-in-settings.ts';

/** The issuer of a provider. The library reads a URL of a configuration without the check that it belongs to the issuer. */
export const oidcIssuer = OIDC.fields.issuer.rule.check(
  z.refine((url) => !url.includes('/.well-known/') && !/[?#]/.test(url), {
    message: 'must be the issuer, without /.well-known/, query and fragment',
  }),
);
