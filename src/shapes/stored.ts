import * as z from 'zod/mini';
import { type FieldOf, mapFields, type Optional, required, type Shape } from './field.ts';

type Bare<Rule> = Rule extends Optional<infer Inner> ? Inner : never;

type StoredRule<Of extends Shape[string]> = null extends Of['byDefault']
  ? z.ZodMiniOptional<Bare<Of['rule']>>
  : z.ZodMiniDefault<Bare<Of['rule']>>;

/**
 * The rules of stored values: a missing value is the default, or stays missing if the default is null. Texts have no bounds,
 * because a release that changes a bound must still read what it stored before.
 */
export function storedRules<Fields extends Shape>(shape: Fields) {
  const rules = mapFields(shape, (field) => {
    const rule = field.kind === 'text' ? z.string() : required(field as FieldOf<'json', Optional<z.ZodMiniType>>).rule;
    return field.byDefault === null ? z.optional(rule) : z._default(rule as z.ZodMiniUnknown, field.byDefault);
  });
  return rules as unknown as { [Name in keyof Fields]: StoredRule<Fields[Name]> };
}
