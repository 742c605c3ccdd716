import { PERIOD } from '../../shapes/filters.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enum-type.ts';
import { inputType } from './shape-fields.ts';

/** A period in the filter of a list. */
export const PeriodInput = inputType(PERIOD);

/** The period of a report. */
export const ReportPeriodInput = builder.inputType('ReportPeriodInput', {
  description: 'A period of time with a start and an end.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', required: true, description: 'The start. The period includes it.' }),
    to: t.field({ type: 'DateTime', required: true, description: 'The end. The period does not include it.' }),
  }),
});

const OrderDirectionEnum = builder.enumType('OrderDirection', {
  description: 'The direction of a list.',
  values: valuesOf(['asc', 'desc'], { asc: 'Oldest or smallest first.', desc: 'Newest or largest first.' }),
});

/** The input type of the order of a list. */
export function orderInput<Field extends string>(
  name: string,
  values: Readonly<Record<string, { readonly value: Field; readonly description: string }>>,
) {
  const field = builder.enumType(`${name}OrderField`, { description: 'A field that sorts the list.', values });
  return builder.inputType(`${name}Order`, {
    description: 'The order of a list. A cursor works only with the same order.',
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'The field that sorts the list.' }),
      direction: t.field({
        type: OrderDirectionEnum,
        required: true,
        description: 'Whether the list starts with the oldest or smallest item, or with the newest or largest.',
      }),
    }),
  });
}

/** The order of a list by its creation time. */
export const CREATED_AT = { CREATED_AT: { value: 'createdAt', description: 'The creation time.' } } as const;
