/** How a member can sign in to a workspace. */
export const SIGN_IN_METHODS = ['password', 'single_sign_on'] as const;

export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** What a member can prove in addition to the password. */
export const SECOND_FACTOR_KINDS = ['totp', 'passkey'] as const;

export type SecondFactorKind = (typeof SECOND_FACTOR_KINDS)[number];

/** How a member can complete a sign-in. */
export const SECOND_FACTOR_METHODS = [...SECOND_FACTOR_KINDS, 'recovery_code'] as const;

export type SecondFactorMethod = (typeof SECOND_FACTOR_METHODS)[number];

/** Why a single sign-on fails, with the HTTP status of the page that says so. */
export const SIGN_IN_PROBLEMS = {
  /** The workspace or the domain has no provider. */
  no_provider: 404,
  /** The provider does not respond, or its configuration is not valid. */
  provider_failed: 502,
  /** The user cancelled at the provider, or the provider refused them. */
  provider_denied: 403,
  /** The attempt is too old, was used before, or began in another browser. */
  attempt_expired: 400,
  /** The response of the provider is not valid. */
  response_invalid: 403,
  /** The provider does not say that the email address is verified. */
  email_not_verified: 403,
  /** The email address does not belong to a domain of the workspace. */
  domain_not_allowed: 403,
  /** The user is no member, and the first sign-on does not make members. */
  not_member: 403,
  /** The email address belongs to a member who signed in with another account of the provider. */
  other_account: 403,
} as const;

export type SignInProblemCode = keyof typeof SIGN_IN_PROBLEMS;

/** Why a sign-in to the MCP server of an integration fails. The dashboard explains it. */
export const INTEGRATION_SIGN_IN_PROBLEMS = [
  /** The attempt is too old, was used before, or began in another browser or session. */
  'expired',
  /** The member, or the server in their name, refused. */
  'denied',
  /** The role of the member does not have the scope. */
  'not_allowed',
  /** The response is not valid, or the code could not be exchanged. */
  'failed',
] as const;

export type IntegrationSignInProblem = (typeof INTEGRATION_SIGN_IN_PROBLEMS)[number];

/** The state of the sign-in at the MCP server of an integration. */
export const INTEGRATION_SIGN_IN_STATES = ['not_needed', 'needed', 'signed_in', 'incomplete'] as const;

export type IntegrationSignInState = (typeof INTEGRATION_SIGN_IN_STATES)[number];
