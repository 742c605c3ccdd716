import { setTimeZone, timeZoneOf } from '../../../domain/budgets/time-zone.ts';
import { SET_TIME_ZONE } from '../../../shapes/environment.ts';
import { builder } from '../builder.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import '../in-use.ts';

builder.queryField('timeZone', (t) =>
  t.string({
    publishing: 'reads',
    access: { scope: 'budgets:read' },
    description:
      'The time zone of the environment, in which the days and months of budgets begin: an IANA name. Scope: budgets:read.',
    resolve: (_root, _args, { domain }) => timeZoneOf(domain, domain.environment.id),
  }),
);

mutation('setTimeZone', {
  publishing: 'sets',
  access: { scope: 'budgets:write' },
  description:
    'Sets the time zone of the environment. Error in_use if a budget has the period DAY or MONTH. Scope: budgets:write.',
  input: inputType(SET_TIME_ZONE),
  errors: ['invalid_request', 'in_use'],
  resolve: async (input, { domain }) => ({ timeZone: await setTimeZone(domain, input) }),
  payload: (t) => ({ timeZone: t.exposeString('timeZone', { description: 'The new time zone.' }) }),
});
