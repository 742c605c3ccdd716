import { SCOPES } from '../contract/scopes.ts';
import { createApiKey, rotateApiKey, type ShownKey } from '../domain/access/api-keys.ts';
import { operatorContext } from '../domain/access/operator.ts';
import type { EnvironmentRef } from '../domain/context.ts';
import { type Command, CommandError, ENVIRONMENT_OPTIONS, type Told } from './command.ts';

const createKey: Command = {
  name: 'create-key',
  summary: 'Makes an API key of an environment, and shows it once.',
  options: {
    name: { value: 'NAME', help: 'what people call it', required: true },
    scopes: { value: 'LIST', help: `all, or some of ${SCOPES.join(',')}`, required: true },
    ...ENVIRONMENT_OPTIONS,
  },
  async run(session, given) {
    const { ctx, workspace } = await session.environment(given);
    const scopes = given.required('scopes') === 'all' ? SCOPES : given.required('scopes').split(',');
    const made = await createApiKey(ctx, { name: given.required('name'), scopes });
    return told(made, ctx.environment, `Made ${made.apiKey.id} of ${workspace} (${ctx.environment.kind}).`);
  },
};

const rotateKey: Command = {
  name: 'rotate-key',
  summary: 'Gives an API key another secret, and shows it once. The old one is of no use from then on.',
  options: { key: { value: 'ID', help: 'its id: key_ and 26 characters', required: true } },
  fields: { id: 'key' },
  async run({ operator }, given) {
    const id = given.required('key');
    const row = await operator.services.prisma.apiKey.findUnique({ where: { id }, include: { environment: true } });
    if (!row) throw new CommandError('--key names none that there is.');
    const made = await rotateApiKey(operatorContext(operator, row.environment), id);
    return told(made, row.environment, `Rotated ${id}.`);
  },
};

function told({ apiKey, secret }: ShownKey, { kind: environment }: EnvironmentRef, done: string): Told {
  const { id, name, scopes } = apiKey;
  return {
    data: { api_key_id: id, name, environment, scopes, secret },
    text: `${done}\nThe key, shown this once: ${secret}`,
  };
}

export const KEY_COMMANDS: readonly Command[] = [createKey, rotateKey];
