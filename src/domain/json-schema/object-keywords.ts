import type { Failure, Keyword, Place, SchemaRun } from './keyword.ts';
import { isObject, isSchema, type Schema } from './schema.ts';

/** Keywords for objects. Only own properties count: `{}` has no property `constructor`. */
export const OBJECT_KEYWORDS: Readonly<Record<string, Keyword>> = {
  properties(run, { keyword, value, place }) {
    if (!isObject(value) || !isObject(keyword)) return undefined;
    for (const name of run.namesOf(keyword)) {
      if (!Object.hasOwn(value, name)) continue;
      const failure = run.checkAt(keyword[name], value[name], name, place);
      if (failure) return failure;
    }
    return undefined;
  },
  patternProperties(run, { keyword, value, place }) {
    if (!isObject(value) || !isObject(keyword)) return undefined;
    const patterns = run.namesOf(keyword);
    for (const name of run.namesOf(value)) {
      for (const pattern of patterns) {
        if (run.matches(pattern, name) !== true) continue;
        const failure = run.checkAt(keyword[pattern], value[name], name, place);
        if (failure) return failure;
      }
    }
    return undefined;
  },
  additionalProperties(run, { schema, keyword, value, place }) {
    if (!isObject(value) || !isSchema(keyword) || keyword === true) return undefined;
    for (const name of run.namesOf(value)) {
      if (isNamed(run, schema, name)) continue;
      if (keyword === false) return { place, message: `must not have the property ${shownName(name)}` };
      const failure = run.checkAt(keyword, value[name], name, place);
      if (failure) return failure;
    }
    return undefined;
  },
  propertyNames(run, { keyword, value, place }) {
    if (!isObject(value) || !isSchema(keyword)) return undefined;
    for (const name of run.namesOf(value)) {
      const failure = run.checkAt(keyword, name, name, place);
      if (failure) return { place, message: `must not have the property ${shownName(name)}` };
    }
    return undefined;
  },
  required(run, { keyword, value, place }) {
    return isObject(value) ? missing(run, keyword, value, place) : undefined;
  },
  minProperties(run, { keyword, value, place }) {
    if (!isObject(value) || typeof keyword !== 'number' || run.namesOf(value).length >= keyword) return undefined;
    return { place, message: `must have at least ${keyword} properties` };
  },
  maxProperties(run, { keyword, value, place }) {
    if (!isObject(value) || typeof keyword !== 'number' || run.namesOf(value).length <= keyword) return undefined;
    return { place, message: `must have at most ${keyword} properties` };
  },
  dependentRequired: checkDependencies,
  dependentSchemas: checkDependencies,
  dependencies: checkDependencies,
};

/** A list of names, or a schema, for each present property. */
function checkDependencies(...[run, { keyword, value, place }]: Parameters<Keyword>): Failure | undefined {
  if (!isObject(value) || !isObject(keyword)) return undefined;
  for (const name of run.namesOf(keyword)) {
    if (!Object.hasOwn(value, name)) continue;
    const dependency = keyword[name];
    const failure = Array.isArray(dependency)
      ? missing(run, dependency, value, place)
      : run.check(dependency, value, place);
    if (failure) return failure;
  }
  return undefined;
}

function missing(run: SchemaRun, names: unknown, value: Schema, place: Place): Failure | undefined {
  if (!Array.isArray(names)) return undefined;
  run.budget.spend(names.length * 2);
  const name = names.find((each) => typeof each === 'string' && !Object.hasOwn(value, each));
  return name === undefined ? undefined : { place, message: `must have the property ${shownName(name)}` };
}

/** Whether `properties` or `patternProperties` cover a property. An unsupported pattern may cover it. */
function isNamed(run: SchemaRun, { properties, patternProperties }: Schema, name: string): boolean {
  if (isObject(properties) && Object.hasOwn(properties, name)) return true;
  if (!isObject(patternProperties)) return false;
  return run.namesOf(patternProperties).some((pattern) => run.matches(pattern, name) !== false);
}

function shownName(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}
