/** The texts of the page that connects assistants, in English. */
export const connect = {
  title: 'Connect an assistant',
  asks: (deployment: string) => `asks for access to your conversations with ${deployment}.`,
  who: 'Who asks',
  name: 'Name',
  nameNote: 'The app gives itself this name.',
  website: 'Website',
  verified: 'This address was verified.',
  unverified: 'Unverified',
  goesTo: 'Access goes to',
  thisComputer: (host: string) => `A program on this computer (${host})`,
  loopbackWarning: 'A program on this computer gets the access, and nobody can check which one.',
  unverifiedWarning: (host: string) => `Nobody has verified this app. The owner of ${host} gets the access.`,
  onlyIfStarted: 'Allow it only if you have just started this connection yourself.',
  account: 'Your account',
  signedIn: (issuer: string) => `Signed in at ${issuer}`,
  notYou: 'Not you? Deny, sign out there, and start again in the app.',
  canDo: 'What the app can do',
  read: 'Read your conversations',
  write: 'Send messages in your name, and change your conversations',
  lasts: (days: number) => `The access ends after ${days} days. To end it earlier, disconnect in the app.`,
  allow: 'Allow',
  deny: 'Deny',
  decided:
    'The app continues with your answer. If it does not open, return to it yourself. You can then close this page.',
  failed: 'Your answer could not be saved. Try again.',
  signInAgain: 'Sign in again',
  expired: 'Your sign-in does not count any more.',
  unknown:
    'There is nothing to decide here. The request of the app is too old, was answered, or began in another browser. Connect again in the app.',
  signInFailed: 'The sign-in did not work. Try it again, or connect again in the app.',
  signInDenied: 'The sign-in was cancelled or refused.',
};

export type ConnectTexts = typeof connect;
