import { LIMITS } from '../contract/limits.ts';
import { SCOPES } from '../contract/scopes.ts';
import { createApiKey, rotateApiKey, type ShownKey } from '../domain/access/keys/api-keys.ts';
import { operatorContext } from '../domain/access/operator.ts';
import type { EnvironmentRef } from '../domain/caller.ts';
import type { Command, CommandResult } from './command.ts';
import { CommandError, ENVIRONMENT_OPTIONS, type ParsedOptions } from './options.ts';

const createKey: Command = {
  name: 'create-key',
  summary: 'Creates an API key for an environment, and prints it once.',
  options: {
    name: { value: 'NAME', help: 'the display name', required: true },
    scopes: { value: 'LIST', help: `all, or a comma-separated list of ${SCOPES.join(',')}`, required: true },
    'expires-at': { value: 'DATE', help: 'when the key expires, such as 2027-01-31T00:00:00Z; default: never' },
    'allowed-ip-ranges': { value: 'LIST', help: 'the addresses and CIDR ranges that requests must come from' },
    'deployment-ids': { value: 'LIST', help: 'the deployments that the key is bound to' },
    ...ENVIRONMENT_OPTIONS,
  },
  async run(session, options) {
    const { ctx, workspace } = await session.environment(options);
    const scopes = options.required('scopes') === 'all' ? SCOPES : options.required('scopes').split(',');
    const key = await createApiKey(ctx, {
      name: options.required('name'),
      scopes,
      expiresAt: dateOf(options, 'expires-at'),
      allowedIpRanges: listOf(options, 'allowed-ip-ranges'),
      deploymentIds: listOf(options, 'deployment-ids'),
    });
    return resultOf(key, ctx.environment, `Created ${key.apiKey.id} in ${workspace} (${ctx.environment.kind}).`);
  },
};

const rotateKey: Command = {
  name: 'rotate-key',
  summary: 'Replaces the secret of an API key, and prints it once.',
  options: {
    key: { value: 'ID', help: 'the ID of the key: key_ and 26 characters', required: true },
    'overlap-hours': {
      value: 'HOURS',
      help: `how long the old secret still works: 0 to ${LIMITS.rotationOverlapHours}; default: 0`,
    },
  },
  fields: { id: 'key' },
  async run({ operator }, options) {
    const id = options.required('key');
    const row = await operator.services.stores.prisma.apiKey.findUnique({
      where: { id },
      include: { environment: true },
    });
    if (!row) throw new CommandError('--key must be the ID of an existing API key.');
    const hours = options.text('overlap-hours');
    if (hours !== undefined && !/^\d{1,9}$/.test(hours)) {
      throw new CommandError('--overlap-hours must be a number of hours.');
    }
    const ctx = operatorContext(operator, row.environment);
    const key = await rotateApiKey(ctx, id, { overlapHours: hours === undefined ? undefined : Number(hours) });
    return resultOf(key, row.environment, `Rotated ${id}.`);
  },
};

function listOf(options: ParsedOptions, option: string): string[] | undefined {
  return options.text(option)?.split(',');
}

function dateOf(options: ParsedOptions, option: string): Date | undefined {
  const text = options.text(option);
  if (text === undefined) return undefined;
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : undefined;
  if (date && !Number.isNaN(date.getTime())) return date;
  throw new CommandError(`--${option} must be a date such as 2027-01-31 or 2027-01-31T09:30:00Z.`);
}

function resultOf({ apiKey, secret }: ShownKey, { kind: environment }: EnvironmentRef, summary: string): CommandResult {
  const { id, name, scopes, expiresAt, allowedIpRanges, deploymentIds, previousExpiresAt } = apiKey;
  return {
    data: {
      api_key_id: id,
      name,
      environment,
      scopes,
      expires_at: expiresAt,
      allowed_ip_ranges: allowedIpRanges,
      deployment_ids: deploymentIds,
      previous_secret_expires_at: previousExpiresAt,
      secret,
    },
    text: `${summary}\nThe key, shown only once: ${secret}`,
  };
}

export const KEY_COMMANDS: readonly Command[] = [createKey, rotateKey];
