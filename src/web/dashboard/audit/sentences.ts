import { AUDIT_ACTIONS, type AuditAction } from '../../../contract/audit.ts';
import { enumValueIn } from '../../../contract/enum-names.ts';
import { actorOf, type Entry, type Names } from './names.ts';

interface Subject {
  /** The subject's name, or its ID if the name is unknown. */
  readonly it: string;
  /** A detail of the entry as text, or '' if the entry has no detail with this name. */
  readonly detail: (name: string) => string;
}

/** The sentence of each action, without the actor. The actor of a failed sign-in is unknown, so it has its own sentence. */
const SENTENCES: Readonly<Record<Exclude<AuditAction, 'session.refused'>, (subject: Subject) => string>> = {
  'session.created': ({ detail }) =>
    detail('single_sign_on') === 'true' ? 'signed in with single sign-on' : 'signed in',
  'session.used': () => 'used a session',
  'session.revoked': () => 'ended a session',
  'password.changed': () => 'changed their password',
  'password.reset': ({ it }) => `reset the password of ${it}`,
  'password.link_created': ({ it }) => `requested a link for a new password of ${it}`,
  'password.removed': ({ it }) => `removed the unverified password of ${it}`,
  'second_factor.added': ({ detail }) =>
    detail('kind') === 'passkey' ? 'added a passkey' : 'added an authenticator app',
  'second_factor.removed': () => 'removed a second factor',
  'second_factor.reset': ({ it }) => `reset the second factors of ${it}`,
  'recovery_codes.created': () => 'created new recovery codes',
  'member.joined': ({ it, detail }) => `added ${it} as ${detail('role')} by single sign-on`,
  'member.sso_linked': ({ it }) => `linked ${it} to the identity provider`,
  'sign_in_settings.updated': () => 'changed the sign-in settings',
  'sign_in_domain.assigned': ({ it }) => `assigned the domain ${it}`,
  'sign_in_domain.removed': ({ it }) => `removed the domain ${it}`,
  'member.created': ({ it, detail }) => `added ${it} as ${detail('role')}`,
  'member.renamed': ({ detail }) => `changed their name from ${detail('from')} to ${detail('to')}`,
  'member.role_changed': ({ it, detail }) => `changed the role of ${it} from ${detail('from')} to ${detail('to')}`,
  'member.removed': ({ detail }) => `removed ${detail('email')} from the workspace`,
  'invitation.created': ({ detail }) => `invited ${detail('email')} as ${detail('role')}`,
  'invitation.revoked': ({ detail }) => `revoked the invitation for ${detail('email')}`,
  'invitation.accepted': ({ detail }) => `joined the workspace as ${detail('role')}`,
  'workspace.created': ({ detail }) => `created the workspace ${detail('name')}`,
  'workspace.renamed': ({ detail }) => `renamed the workspace from ${detail('from')} to ${detail('to')}`,
  'api_key.created': ({ it }) => `created the key ${it}`,
  'app.connected': ({ detail }) => `connected the app ${detail('client_name')}`,
  'app.used': () => 'sent a request',
  'app.disconnected': () => 'disconnected an app',
  'api_key.used': () => 'was used',
  'api_key.refused': ({ it }) => `sent the key ${it} from an address outside its IP ranges`,
  'api_key.updated': ({ it }) => `changed the key ${it}`,
  'api_key.rotated': ({ it }) => `rotated the key ${it}`,
  'api_key.revoked': ({ it }) => `revoked the key ${it}`,
  'end_user.tokens_revoked': ({ detail }) => `revoked ${detail('tokens')} tokens of an end user`,
  'end_user_issuer.set': ({ detail }) => `set the issuer ${detail('issuer')} for JWTs of end users`,
  'end_user_issuer.removed': () => 'removed the issuer of JWTs of end users',
  'end_user.erased': ({ detail }) => `erased an end user with ${detail('conversations')} conversations`,
  'workflow.created': ({ it }) => `created the workflow ${it}`,
  'workflow.updated': ({ it }) => `changed the draft of the workflow ${it}`,
  'workflow.published': ({ it, detail }) => `published version ${detail('version')} of the workflow ${it}`,
  'workflow.trigger_settings_changed': ({ it, detail }) =>
    detail('trigger_required') === 'true'
      ? `required a trigger to start ${it}`
      : `allowed ${it} to start without a trigger`,
  'workflow.deleted': ({ detail }) => `deleted the workflow ${detail('name')}`,
  'model_price.set': ({ it }) => `set the price of ${it}`,
  'model_price.removed': ({ it }) => `removed the price of ${it}`,
  'budget.set': ({ detail }) => `set a budget of the place ${detail('place')}`,
  'budget.removed': ({ detail }) => `removed a budget of the place ${detail('place')}`,
  'time_zone.set': ({ detail }) => `set the time zone ${detail('time_zone')}`,
  'deployment.created': ({ it }) => `created the deployment ${it}`,
  'deployment.updated': ({ it }) => `changed the deployment ${it}`,
  'deployment.published': ({ it, detail }) => `published version ${detail('version')} to the deployment ${it}`,
  'deployment.rolled_back': ({ it, detail }) =>
    `rolled the deployment ${it} back to version ${detail('published_version')}`,
  'deployment.unpublished': ({ it }) => `unpublished the deployment ${it}`,
  'deployment.deleted': ({ detail }) => `deleted the deployment ${detail('name')}`,
  'trigger.deleted': ({ it }) => `deleted the trigger ${it}`,
  'document.published': ({ it, detail }) => `published version ${detail('version')} of the operation ${it}`,
  'document.unpublished': ({ it }) => `unpublished the operation ${it}`,
  'resource.deleted': ({ it, detail }) => `deleted the ${detail('type')} ${it}`,
  'run.cancelled': ({ it }) => `cancelled the waiting turn of the conversation ${it}`,
  'action.answered': ({ it, detail }) => {
    const verb = { true: 'approved', false: 'refused' }[detail('approved')] ?? 'answered';
    return `${verb} the call of ${detail('tool')} in the conversation ${it}`;
  },
  'conversation.taken_by_force': ({ it }) => `took over the conversation ${it}, which another person had`,
  'conversation.deleted': ({ it }) => `deleted the conversation ${it}`,
  'conversation.exported': ({ it }) => `exported the conversation ${it}`,
  'conversations.exported': () => 'exported the result of a search for conversations',
  'environment.exported': () => 'exported the environment',
  'retention.set': ({ detail }) =>
    [
      detail('days') === '' ? 'turned retention off' : `set retention to ${detail('days')} days`,
      ...(detail('traceDays') === '' ? [] : [`set the retention of traces to ${detail('traceDays')} days`]),
    ].join(' and '),
  'retention.swept': ({ detail }) =>
    detail('conversations') === '1'
      ? `deleted 1 conversation older than ${detail('days')} days`
      : `deleted ${detail('conversations')} conversations older than ${detail('days')} days`,
  'environment_limits.set': () => 'changed the limits of the environment',
  'file.content_missing': ({ it, detail }) =>
    `found that the storage ${detail('fault') === 'missing' ? 'has lost' : 'has changed'} the bytes of the file ${it}`,
  'file.content_restored': ({ it }) => `found the lost bytes of the file ${it} again`,
  'integration.connected': ({ it }) => `connected the integration ${it}`,
  'integration.updated': ({ it }) => `changed the integration ${it}`,
  'integration.disconnected': ({ it }) => `disconnected the integration ${it}`,
  'integration.signed_in': ({ it }) => `signed in to the MCP server of the integration ${it}`,
  'integration.signed_out': ({ it }) => `signed out of the MCP server of the integration ${it}`,
  'webhook_endpoint.created': ({ it }) => `added the webhook endpoint ${it}`,
  'webhook_endpoint.updated': ({ it, detail }) =>
    detail('enabled') === ''
      ? `changed the webhook endpoint ${it}`
      : `${detail('enabled') === 'true' ? 'enabled' : 'disabled'} the webhook endpoint ${it}`,
  'webhook_endpoint.disabled': ({ it, detail }) =>
    detail('status') === ''
      ? `disabled the webhook endpoint ${it}, because every delivery failed for ${detail('days')} days`
      : `disabled the webhook endpoint ${it}, because it responded with ${detail('status')}`,
  'webhook_endpoint.replayed': ({ it, detail }) =>
    `sent ${detail('deliveries') === '1' ? '1 delivery' : `${detail('deliveries')} deliveries`} to the webhook endpoint ${it} again`,
  'webhook_endpoint.secret_rotated': ({ it }) => `rotated the secret of the webhook endpoint ${it}`,
  'webhook_endpoint.deleted': ({ it }) => `deleted the webhook endpoint ${it}`,
};

/** An entry as a sentence. An action that this version of the page does not know appears by its name. */
export function sentenceOf(entry: Entry, names: Names): string {
  const { subjectId, details } = entry;
  const action = enumValueIn(AUDIT_ACTIONS, entry.action);
  const detail = (name: string) => String(details[name] ?? '');
  const it =
    (subjectId !== null && names.names.get(subjectId)) || detail('name') || detail('url') || subjectId || 'unknown';
  if (action === 'session.refused' && detail('reason')) return `Failed single sign-on: ${detail('reason')}`;
  if (action === 'session.refused') return `Failed sign-in for ${names.emails.get(subjectId ?? '') ?? it}`;
  const sentence = action in SENTENCES ? SENTENCES[action as keyof typeof SENTENCES]({ it, detail }) : action;
  return `${actorOf(entry, names)} ${sentence}`;
}
