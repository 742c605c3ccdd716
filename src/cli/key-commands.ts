import { SCOPES } from '../contract/scopes.ts';
import { createApiKey, rotateApiKey, type ShownKey } from '../domain/access/api-keys.ts';
import { operatorContext } from '../domain/access/operator.ts';
import type { EnvironmentRef } from '../domain/caller.ts';
import type { Command, CommandResult } from './command.ts';
import { CommandError, ENVIRONMENT_OPTIONS } from './options.ts';

const createKey: Command = {
  name: 'create-key',
  summary: 'Creates an API key for an environment, and prints it once.',
  options: {
    name: { value: 'NAME', help: 'the display name', required: true },
    scopes: { value: 'LIST', help: `all, or a comma-separated list of ${SCOPES.join(',')}`, required: true },
    ...ENVIRONMENT_OPTIONS,
  },
  async run(session, options) {
    const { ctx, workspace } = await session.environment(options);
    const scopes = options.required('scopes') === 'all' ? SCOPES : options.required('scopes').split(',');
    const key = await createApiKey(ctx, { name: options.required('name'), scopes });
    return resultOf(key, ctx.environment, `Created ${key.apiKey.id} in ${workspace} (${ctx.environment.kind}).`);
  },
};

const rotateKey: Command = {
  name: 'rotate-key',
  summary: 'Replaces the secret of an API key, and prints it once. The old secret stops working.',
  options: { key: { value: 'ID', help: 'the ID of the key: key_ and 26 characters', required: true } },
  fields: { id: 'key' },
  async run({ operator }, options) {
    const id = options.required('key');
    const row = await operator.services.prisma.apiKey.findUnique({ where: { id }, include: { environment: true } });
    if (!row) throw new CommandError('--key must be the ID of an existing API key.');
    const key = await rotateApiKey(operatorContext(operator, row.environment), id);
    return resultOf(key, row.environment, `Rotated ${id}.`);
  },
};

function resultOf({ apiKey, secret }: ShownKey, { kind: environment }: EnvironmentRef, summary: string): CommandResult {
  const { id, name, scopes } = apiKey;
  return {
    data: { api_key_id: id, name, environment, scopes, secret },
    text: `${summary}\nThe key, shown only once: ${secret}`,
  };
}

export const KEY_COMMANDS: readonly Command[] = [createKey, rotateKey];
