import { dateOrNull, factsOf } from './agent/error-facts.ts';
import { errorType, registerErrors } from './errors.ts';
import { Trigger } from './triggers.ts';

// Not with the other errors of turns, because triggers use the inputs of turns, which declare those errors.
registerErrors({
  trigger_expired: errorType('TriggerExpired', 'The trigger has expired. Create a new one.', (t) => ({
    triggerId: t.string({ description: 'The ID of the trigger.', resolve: (error) => factsOf(error).trigger_id ?? '' }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it expired. Null: it was deleted meanwhile.',
      resolve: (error) => dateOrNull(factsOf(error).expires_at),
    }),
    trigger: t.prismaField({
      type: Trigger,
      nullable: true,
      description: 'The trigger. Its ID is its only credential. Null: it was deleted.',
      resolve: (query, error, _args, { domain }) =>
        domain.db.trigger.findFirst({ ...query, where: { id: factsOf(error).trigger_id ?? '' } }),
    }),
  })),
});
