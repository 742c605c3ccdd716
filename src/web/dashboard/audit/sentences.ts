import type { AuditAction } from '../../../contract/audit.ts';
import { actorOf, type Entry, type Names } from './names.ts';

/** What a sentence is made of. */
interface Told {
  /** What it was done to: its name where one is known, else its id. */
  readonly it: string;
  /** A detail of the entry, as text; '' where it has none of this name. */
  readonly of: (detail: string) => string;
}

/** What was done, for each action: what stands behind the actor. */
const SENTENCES: Readonly<Record<AuditAction, (told: Told) => string>> = {
  'session.created': () => 'signed in',
  'session.refused': ({ it }) => `was refused to sign in as ${it}`,
  'session.used': () => 'used a session',
  'session.revoked': () => 'ended a session',
  'password.changed': () => 'changed their password',
  'password.reset': ({ it }) => `reset the password of ${it}`,
  'member.created': ({ it, of }) => `made ${it} a member, as ${of('role')}`,
  'member.role_changed': ({ it, of }) => `changed the role of ${it} from ${of('from')} to ${of('to')}`,
  'member.removed': ({ of }) => `removed ${of('email')} from the workspace`,
  'invitation.created': ({ of }) => `invited ${of('email')} as ${of('role')}`,
  'invitation.revoked': ({ of }) => `revoked the invitation of ${of('email')}`,
  'invitation.accepted': ({ of }) => `joined the workspace as ${of('role')}`,
  'workspace.created': ({ of }) => `made the workspace ${of('name')}`,
  'api_key.created': ({ it }) => `created the key ${it}`,
  'api_key.used': () => 'was used',
  'api_key.updated': ({ it }) => `changed the key ${it}`,
  'api_key.rotated': ({ it }) => `rotated the key ${it}`,
  'api_key.revoked': ({ it }) => `revoked the key ${it}`,
  'workflow.created': ({ it }) => `made the workflow ${it}`,
  'workflow.updated': ({ it }) => `changed the draft of the workflow ${it}`,
  'workflow.published': ({ it, of }) => `published version ${of('version')} of the workflow ${it}`,
  'workflow.trigger_settings_changed': ({ it, of }) =>
    of('trigger_required') === 'true' ? `made ${it} start from triggers alone` : `let ${it} start without triggers`,
  'model_price.set': ({ it }) => `set the price of ${it}`,
  'model_price.removed': ({ it }) => `removed the price of ${it}`,
  'deployment.created': ({ it }) => `made the deployment ${it}`,
  'deployment.updated': ({ it }) => `changed the deployment ${it}`,
  'deployment.published': ({ it, of }) => `published version ${of('version')} to the deployment ${it}`,
  'deployment.rolled_back': ({ it, of }) => `had the deployment ${it} run version ${of('version')}`,
  'deployment.unpublished': ({ it }) => `unpublished the deployment ${it}`,
  'resource.deleted': ({ it, of }) => `deleted the ${of('type')} ${it}`,
  'run.cancelled': ({ it }) => `cancelled what the conversation ${it} waited for`,
  'conversation.deleted': ({ it }) => `deleted the conversation ${it}`,
  'conversation.exported': ({ it }) => `exported the conversation ${it}`,
  'environment.exported': () => 'exported the environment',
  'retention.set': ({ of }) =>
    of('days') === '' ? 'set retention to for ever' : `set retention to ${of('days')} days`,
  'retention.swept': ({ of }) =>
    of('conversations') === '1'
      ? `deleted 1 conversation that was older than ${of('days')} days`
      : `deleted ${of('conversations')} conversations that were older than ${of('days')} days`,
  'environment_limits.set': () => 'changed the limits of the environment',
  'integration.connected': ({ it }) => `connected the integration ${it}`,
  'integration.updated': ({ it }) => `changed the integration ${it}`,
  'integration.disconnected': ({ it }) => `disconnected the integration ${it}`,
  'webhook_endpoint.created': ({ it }) => `added the webhook endpoint ${it}`,
  'webhook_endpoint.updated': ({ it, of }) =>
    of('enabled') === ''
      ? `changed the webhook endpoint ${it}`
      : `${of('enabled') === 'true' ? 'enabled' : 'disabled'} the webhook endpoint ${it}`,
  'webhook_endpoint.secret_rotated': ({ it }) => `rotated the secret of the webhook endpoint ${it}`,
  'webhook_endpoint.deleted': ({ it }) => `deleted the webhook endpoint ${it}`,
};

/** An entry as a sentence; of an action that this page does not know its name is told. */
export function sentenceOf(entry: Entry, names: Names): string {
  const { action, subjectId, details } = entry;
  const of = (detail: string) => String(details[detail] ?? '');
  const it = (subjectId !== null && names.get(subjectId)) || of('name') || of('url') || subjectId || 'something';
  const told = action in SENTENCES ? SENTENCES[action as AuditAction]({ it, of }) : action;
  return `${actorOf(entry, names)} ${told}`;
}
