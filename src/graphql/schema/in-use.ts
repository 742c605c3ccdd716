import { encodeGlobalID } from '@pothos/plugin-relay';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { DEPENDANT_KINDS, type DependantKind } from '../../contract/statuses.ts';
import type { Dependants } from '../../domain/dependants.ts';
import { builder } from './builder.ts';
import { enumType } from './enum-type.ts';
import { errorType, registerErrors } from './errors.ts';

const DependantKindEnum = enumType('DependantKind', DEPENDANT_KINDS, {
  description: 'The kind of objects that prevent a deletion or a change.',
  values: {
    deployment: 'Deployments of the workflow.',
    conversation: 'Conversations of the deployment, or the one that the trigger started.',
    trigger: 'Triggers of the deployment.',
    api_key: 'Valid API keys that are bound to the deployment.',
    end_user_issuer: 'Issuers whose JWTs are valid for the deployment. Each environment has at most one.',
    budget: 'Budgets in money that need the price of the model, or whose days or months have the time zone.',
  },
});

/** The types of the global IDs. An issuer is a setting of its environment and has no ID. */
const TYPES: Readonly<Record<DependantKind, string>> = {
  deployment: 'Deployment',
  conversation: 'Conversation',
  trigger: 'Trigger',
  api_key: 'ApiKey',
  end_user_issuer: '',
  budget: 'Budget',
};

const DependantsObject = builder.objectRef<Dependants>('Dependants').implement({
  description: 'Objects of one kind that prevent a deletion or a change.',
  fields: (t) => ({
    kind: t.expose('kind', { type: DependantKindEnum, description: 'The kind of the objects.' }),
    count: t.exposeInt('count', {
      description: `How many there are, in all environments of the workspace. ${formatCount(LIMITS.countedDependants)} stands for that many or more.`,
    }),
    ids: t.idList({
      description: `Global IDs of at most ${LIMITS.namedDependants} of them, in the environment of the request. Empty: all are in another environment, or the caller lacks the scope that reads them.`,
      resolve: ({ kind, ids }) => ids.map((id) => encodeGlobalID(TYPES[kind], id)),
    }),
  }),
});

registerErrors({
  in_use: errorType('InUse', 'Other objects depend on the object, so nothing was changed. Delete them first.', (t) => ({
    dependants: t.field({
      type: [DependantsObject],
      description: 'What depends on the object.',
      resolve: ({ error }) => [...((error.details.facts as { dependants?: readonly Dependants[] })?.dependants ?? [])],
    }),
  })),
});
