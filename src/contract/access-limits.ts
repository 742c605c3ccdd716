/** The limits of users, keys, sessions and sign-on. A part of `LIMITS`: read them from there. */
export const ACCESS_LIMITS = {
  /** Characters of a person's name. */
  personNameLength: 100,
  /** Characters of an email address. */
  emailLength: 254,
  /** Shortest password, in characters. */
  minPasswordLength: 12,
  /** Longest password, in characters. */
  passwordLength: 256,
  /** Characters of an API key's name. */
  keyNameLength: 100,
  /** IP ranges of an API key. */
  keyIpRanges: 50,
  /** Deployments that an API key is bound to. */
  keyDeployments: 100,
  /** Hours for which the previous secret of a rotated API key can still work. */
  rotationOverlapHours: 24,
  /** Characters of the ID of an end user. */
  endUserLength: 255,
  /** Seconds that a token of an end user is valid. */
  endUserTokenSeconds: 3_600,
  /** Hours that a JWT of an end user is accepted after its `iat`, whatever its `exp`. */
  endUserJwtHours: 24,
  /** Characters of a JWT of an end user. */
  endUserJwtLength: 8_192,
  /** Values of `aud` in a JWT of an end user. */
  endUserJwtAudiences: 10,
  /** Characters of `kid` in a JWT of an end user. */
  keyIdLength: 200,
  /** Seconds by which the clocks of Parley and of a server that signs JWTs can differ. */
  endUserJwtClockSeconds: 5,
  /** Characters of the audience of JWTs. */
  audienceLength: 255,
  /** Environments with the same issuer and audience that a JWT is tried with, if its request names no deployment. */
  endUserIssuerCandidates: 8,
  /** Deployments that the JWTs of an environment work for. */
  endUserIssuerDeployments: 100,
  /** Bytes of a JWKS. */
  jwksBytes: 65_536,
  /** Keys of a JWKS. */
  jwksKeys: 100,
  /** Conversations that one `eraseEndUser` deletes at most. */
  erasedConversations: 1_000,
  /** Rows of a usage report by end user. */
  endUserUsageRows: 1_000,
  /** Days without use after which an API key has the warning `isUnused`. */
  unusedKeyDays: 90,
  /** Zero bits with which the digest of a proof of work begins. */
  challengeBits: 16,
  /** Starts with one solved challenge. */
  challengeStarts: 10,
  /** Minutes until a challenge and its solution expire. */
  challengeMinutes: 30,
  /** Characters of `Parley-Challenge`. */
  challengeSolutionLength: 4_096,
  /** Apps that a member has connected to a workspace. */
  connectedApps: 50,
  /** Days until a member must allow an app again. */
  appDays: 365,
  /** Connected apps of an end user in an environment. One more ends the app that was not used for longest. */
  endUserApps: 20,
  /** Minutes that an app's access token is valid. */
  appTokenMinutes: 60,
  /** Days that an app's refresh token is valid. Each works once. */
  appRefreshDays: 30,
  /** Seconds that an app has to redeem a code. */
  appCodeSeconds: 60,
  /** Minutes that a member has to decide about the request of an app. */
  appRequestMinutes: 10,
  /** Characters of the ID of a request of an app. */
  appRequestIdLength: 100,
  /** Characters of the query of a request of an app. */
  appQueryLength: 8_000,
  /** Bytes of the body of a request of an app. The authorization server's library reads no more. */
  appBodyBytes: 57_344,
  /** Bytes of the document that describes an app. */
  appDocumentBytes: 16_384,
  /** Redirect URIs of an app that registers itself. */
  appRedirectUris: 10,
  /** Characters of a redirect URI of an app that registers itself. */
  appRedirectUriLength: 500,
  /** Registered apps of the service, with those that no member has connected. */
  registeredApps: 50_000,
  /** Hours until a registered app that no member has connected is deleted. */
  unusedAppHours: 24,
  /** Characters of the client ID of an app, which is a URL. */
  appClientIdLength: 1_000,
  /** Characters of the name of an app. */
  appNameLength: 100,
  /** Hours until a session expires. */
  sessionHours: 24,
  /** Days until an invitation expires. */
  invitationDays: 7,
  /** Minutes until a link for a new password expires. */
  passwordResetMinutes: 60,
  /** Second factors of a user. */
  secondFactors: 10,
  /** Characters of the name of a second factor. */
  secondFactorNameLength: 100,
  /** Digits of the code of an authenticator app. */
  totpDigits: 6,
  /** Recovery codes of a user. */
  recoveryCodes: 10,
  /** Attempts to complete one sign-in with a second factor. */
  secondFactorAttempts: 5,
  /** Minutes to complete a sign-in with a second factor, and to register a passkey. */
  secondFactorMinutes: 5,
  /** Minutes to set up an authenticator app, and a second factor that a sign-in requires. */
  enrolmentMinutes: 15,
  /** Characters of the response of a passkey, as JSON. */
  passkeyResponseLength: 16_000,
  /** Minutes that a single sign-on can take at the provider. */
  singleSignOnMinutes: 10,
  /** Entries of a role map. */
  roleMapEntries: 50,
  /** Characters of the name of the role claim, and of a value in the role map. */
  claimLength: 200,
  /** Characters of a client ID. */
  clientIdLength: 300,
  /** Characters of a client secret. */
  clientSecretLength: 1_000,
  /** Characters of the query of a provider's response. */
  providerResponseLength: 8_000,
  /** Minutes that a sign-in to the MCP server of an integration can take at its authorization server. */
  integrationSignInMinutes: 10,
  /** Bytes of all responses of an authorization server in one step of a sign-in to an MCP server. */
  integrationSignInBytes: 256 * 1024,
  /** Characters of an address that an MCP server or its authorization server names for a sign-in. */
  integrationSignInUrlLength: 2_000,
  /** Characters of a client ID, and of a client secret, that an authorization server issues when the service registers. */
  integrationClientLength: 2_000,
  /** Characters of a token of an authorization server. */
  integrationTokenLength: 8_000,
  /** Characters of all scopes of a sign-in to an MCP server. */
  integrationScopeLength: 1_000,
  /** How often an MCP server can ask for further scopes until somebody signs out. Later ones are only an error. */
  integrationScopeRequests: 5,
  /** Mails of one kind that wait to be sent, for each workspace. */
  waitingMailsOfWorkspace: 100,
  /** Mails of all workspaces that wait to be sent. */
  waitingMails: 5_000,
  /** Mails of one kind about accounts that wait to be sent: requests for a new password, new sign-ins, changed passwords. */
  waitingAccountMails: 1_000,
  /** Owners of a workspace who get a mail about a new or rotated API key. */
  notifiedOwners: 10,
  /** Reads of strangers from one IP address that a process executes, or whose responses the client has not read, at the same time. Further ones wait. */
  strangerReads: 4,
  /** Bytes of the response for which such a read keeps its place a second longer, so that large responses leave time to others. */
  strangerReadBytesPerSecond: 512 * 1024,
  /** Large request bodies of strangers from one IP address that a process receives at the same time. Further ones wait. */
  strangerBodies: 2,
  /** Bytes of a body from which it is large. */
  strangerBodyBytes: 64 * 1024,
  /** Bytes of such a body for which it keeps its place a second longer. */
  strangerBodyBytesPerSecond: 512 * 1024,
  /** Reads, and large bodies, of strangers from one IP address that wait. Further ones get 429. */
  strangersWaiting: 1_000,
  /** Seconds that such a read or body waits. Then it gets 429. */
  strangerWaitSeconds: 20,
} as const;
