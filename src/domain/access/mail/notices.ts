import type { Role } from '../../../contract/roles.ts';
import type { EnvironmentKind } from '../../../contract/statuses.ts';
import { quote } from './quote.ts';

/** The texts of one kind of notice. `Facts` are the values that `lines` shows. */
interface NoticeText<Facts> {
  /** Whether it is sent before other mails. */
  readonly urgent: boolean;
  readonly subject: string;
  lines(facts: Facts): readonly string[];
}

interface InWorkspace {
  readonly workspace: string;
  /** Who did it, from `actorName`. */
  readonly actor: string;
}

interface KeyFacts extends InWorkspace {
  readonly keyName: string;
  readonly environment: EnvironmentKind;
}

const key = (verb: string, { keyName, environment, workspace, actor }: KeyFacts) => [
  `An API key was ${verb}.`,
  '',
  `Key: ${quote(keyName)}, in the ${environment} environment`,
  `Workspace: ${quote(workspace)}`,
  `By: ${actor}`,
];

const text = <Facts>(notice: NoticeText<Facts>) => notice;

/**
 * The notices that members get by mail about their account and their workspaces. Every text of a tenant is in `quote`.
 * A new kind is one more entry here, and one call of `notify`.
 */
export const NOTICES = {
  sign_in: text({
    urgent: true,
    subject: 'New sign-in to your Parley account',
    lines: ({ address, device }: { readonly address: string; readonly device: string }) => [
      'Someone signed in to your account from a new place or device.',
      '',
      `IP address: ${address}`,
      `Device: ${device}`,
    ],
  }),
  password_changed: text({
    urgent: true,
    subject: 'The password of your Parley account was changed',
    lines: (_facts: object) => [
      'The password of your account was changed. Other sessions of the account have ended.',
      '',
    ],
  }),
  role_changed: text({
    urgent: false,
    subject: 'Your role in a Parley workspace was changed',
    lines: ({ workspace, actor, from, to }: InWorkspace & { readonly from: Role; readonly to: Role }) => [
      `Your role was changed from ${from} to ${to}.`,
      '',
      `Workspace: ${quote(workspace)}`,
      `By: ${actor}`,
    ],
  }),
  member_removed: text({
    urgent: false,
    subject: 'You were removed from a Parley workspace',
    lines: ({ workspace, actor }: InWorkspace) => [
      'You are no longer a member of a workspace. Your account stays.',
      '',
      `Workspace: ${quote(workspace)}`,
      `By: ${actor}`,
    ],
  }),
  key_created: text({
    urgent: false,
    subject: 'A new API key in a Parley workspace',
    lines: (facts: KeyFacts) => key('created', facts),
  }),
  key_rotated: text({
    urgent: false,
    subject: 'A rotated API key in a Parley workspace',
    lines: (facts: KeyFacts) => key('rotated: it has a new secret', facts),
  }),
} as const;

export type NoticeKind = keyof typeof NOTICES;

/** The values that a notice shows, without those that `notify` adds. */
export type FactsOf<Kind extends NoticeKind> = Omit<Parameters<(typeof NOTICES)[Kind]['lines']>[0], keyof InWorkspace>;
