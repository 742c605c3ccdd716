import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { providerModelOf } from '../../contract/model-name.ts';
import { type ParameterKind, parametersOf } from '../../contract/model-parameters.ts';
import { formatBytes } from '../../contract/quantities.ts';
import type { WorkflowConfig } from './config.ts';

/** The longest name of a parameter in an error. */
const SHOWN = 40;

/**
 * Requires that the provider of the draft's model takes each of its parameters. Without a model of a provider, it must be
 * a parameter of any provider. @throws {ServiceError} invalid_request
 */
export function requireModelParameters({ model, modelParameters }: WorkflowConfig): void {
  if (!modelParameters) return;
  const problem = sizeProblem(modelParameters) ?? parameterProblem(modelParameters, model);
  if (!problem) return;
  throw new ServiceError('invalid_request', `{param} ${problem}.`, { param: ['draft', 'modelParameters'] });
}

function sizeProblem(parameters: Readonly<Record<string, unknown>>): string | undefined {
  const { modelParameters: most, modelParametersBytes: bytes, modelParameterLevels: levels } = LIMITS;
  if (Object.keys(parameters).length > most) return `must have at most ${most} parameters`;
  // First the levels, because the size is found by recursion.
  if (isDeeper(parameters, levels)) return `must have at most ${levels} levels`;
  const isTooLarge = Buffer.byteLength(JSON.stringify(parameters)) > bytes;
  return isTooLarge ? `must be at most ${formatBytes(bytes)} of JSON` : undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function parameterProblem(parameters: Readonly<Record<string, unknown>>, model = ''): string | undefined {
  const provider = providerModelOf(model)?.provider;
  const allowed = parametersOf(provider);
  for (const [name, value] of Object.entries(parameters)) {
    const kind = allowed.get(name);
    if (!kind) {
      const shown = JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name);
      const whose = provider ? `models of ${provider}` : 'any provider';
      return `has ${shown}, which is no parameter of ${whose}. Allowed: ${[...allowed.keys()].join(', ')}`;
    }
    if (!IS_OF_KIND[kind](value)) return `must have ${WORDS[kind]} as "${name}"`;
  }
  return undefined;
}

const IS_OF_KIND: Readonly<Record<ParameterKind, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  text: (value) => typeof value === 'string',
};

const WORDS: Readonly<Record<ParameterKind, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  text: 'a text',
};
