import { text, urlWithQuery } from './formats.ts';
import { type Requirement, variable } from './variable.ts';

const usesChallenges: Requirement = {
  condition: 'CHALLENGE_VERIFY_URL is set',
  holds: ({ CHALLENGE_VERIFY_URL }) => CHALLENGE_VERIFY_URL !== undefined && CHALLENGE_VERIFY_URL !== '',
};

/** The provider of challenges for callers without credentials. */
export const CHALLENGE_VARIABLES = {
  CHALLENGE_VERIFY_URL: variable(
    {
      meaning:
        'The URL that verifies responses to the challenges of a provider, for deployments with the challenge PROVIDER: ' +
        'siteverify of Turnstile, hCaptcha or reCAPTCHA.',
      fallback: 'deployments cannot use a provider',
    },
    urlWithQuery,
  ),
  CHALLENGE_SECRET: variable(
    { meaning: 'The secret key of the provider of challenges.', fallback: 'no key', required: usesChallenges },
    text('a secret key'),
  ),
  CHALLENGE_SITE_KEY: variable(
    { meaning: 'The public site key of the provider of challenges.', fallback: 'no key', required: usesChallenges },
    text('a site key'),
  ),
} as const;
