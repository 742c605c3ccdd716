import type { Factor } from '../../../domain/access/second-factors/factors.ts';
import { builder } from '../builder.ts';
import { SecondFactorKindEnum } from './access-enums.ts';

export const SignInFactor = builder.objectRef<Factor>('SignInFactor').implement({
  description: 'A second factor of the signed-in member: an authenticator app or a passkey.',
  fields: (t) => ({
    secondFactorId: t.expose('id', { type: 'UUID', description: 'The ID, for removeSecondFactor.' }),
    kind: t.expose('kind', { type: SecondFactorKindEnum, description: 'What it is.' }),
    name: t.exposeString('name', { description: 'The name that the member gave it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The last sign-in with it. Null: it has not been used.',
    }),
  }),
});
