import { LIMITS } from '../contract/limits.ts';
import { createOperatorLink } from '../domain/access/passwords/reset-password.ts';
import { resetUserFactors } from '../domain/access/second-factors/reset.ts';
import { allowPasswords, assignDomain, removeDomain } from '../domain/access/sso/domains.ts';
import type { Command } from './command.ts';
import { ENVIRONMENT_OPTIONS } from './options.ts';

const DOMAIN_OPTIONS = {
  domain: { value: 'DOMAIN', help: 'the domain of email addresses, like example.com', required: true },
  workspace: ENVIRONMENT_OPTIONS.workspace,
} as const;

const assignDomainCommand: Command = {
  name: 'assign-domain',
  summary: 'Lets the identity provider of a workspace sign in people with email addresses of a domain.',
  options: DOMAIN_OPTIONS,
  async run(session, options) {
    const { ctx, workspace } = await session.environment(options);
    const domain = await assignDomain(ctx, { domain: options.required('domain') });
    return { data: { domain }, text: `Assigned ${domain} to ${workspace}.` };
  },
};

const removeDomainCommand: Command = {
  name: 'remove-domain',
  summary: 'Ends single sign-on for email addresses of a domain. Open sessions stay.',
  options: DOMAIN_OPTIONS,
  async run(session, options) {
    const { ctx, workspace } = await session.environment(options);
    const domain = await removeDomain(ctx, { domain: options.required('domain') });
    return { data: { domain }, text: `Removed ${domain} from ${workspace}.` };
  },
};

const allowPasswordsCommand: Command = {
  name: 'allow-passwords',
  summary: 'Stops requiring single sign-on in a workspace, if its identity provider locks the members out.',
  options: { workspace: ENVIRONMENT_OPTIONS.workspace },
  async run(session, options) {
    const { ctx, workspace } = await session.environment(options);
    const isChanged = await allowPasswords(ctx);
    const text = isChanged
      ? `Members of ${workspace} can sign in with their password again.`
      : `${workspace} does not require single sign-on.`;
    return { data: { changed: isChanged }, text };
  },
};

const passwordLinkCommand: Command = {
  name: 'password-link',
  summary: `Prints a link with which a user sets a new password, once, within ${LIMITS.passwordResetMinutes} minutes.`,
  options: { email: { value: 'ADDRESS', help: 'the email address for signing in', required: true } },
  async run({ operator }, options) {
    const email = options.required('email');
    const url = await createOperatorLink(operator, email);
    return { data: { email, url }, text: `The link for ${email}, shown only once: ${url}` };
  },
};

const resetSecondFactorsCommand: Command = {
  name: 'reset-second-factors',
  summary: 'Removes all second factors of a user who lost them, and revokes all of their sessions.',
  options: { email: { value: 'ADDRESS', help: 'the email address for signing in', required: true } },
  async run({ operator }, options) {
    const email = options.required('email');
    const userId = await resetUserFactors(operator, email);
    return { data: { user_id: userId, email }, text: `Removed the second factors of ${email}.` };
  },
};

export const SIGN_IN_COMMANDS: readonly Command[] = [
  resetSecondFactorsCommand,
  passwordLinkCommand,
  assignDomainCommand,
  removeDomainCommand,
  allowPasswordsCommand,
];
