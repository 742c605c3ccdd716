import { type GraphQLInputField, type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { type FieldPath, formatPath } from '../contract/errors.ts';
import { snakeCase } from '../contract/snake-case.ts';
import type { InputStyle } from '../operation/input.ts';
import { chooseCapability, choosePart } from './choices.ts';

/** The name of an input field in REST bodies. Undefined: REST does not have the input field. */
export function inputName({ name, extensions }: Pick<GraphQLInputField, 'name' | 'extensions'>): string | undefined {
  const { inRest } = extensions as { readonly inRest?: string | false };
  return inRest === false ? undefined : (inRest ?? snakeCase(name));
}

/**
 * REST bodies: input fields in snake case, unknown fields ignored, lists as arrays, enum values in the words of
 * the specification. Keys inside JSON values are not renamed.
 */
export const REST_INPUT: InputStyle = {
  nameOf: inputName,
  ignoresUnknown: true,
  strictLists: true,
  wordOf: ({ value }) => value,
  choose: { ContentPartInput: choosePart, ClientCapabilityInput: chooseCapability },
};

/** A field path in REST names. Keys inside JSON values are not renamed. */
export function restPath(path: FieldPath, type: GraphQLInputType | undefined): string {
  let at = type;
  const renamed = path.flatMap((step, index) => {
    const bare = at && getNullableType(at);
    if (typeof step === 'number') {
      at = isListType(bare) ? (bare.ofType as GraphQLInputType) : undefined;
      return step;
    }
    const field = isInputObjectType(bare) ? bare.getFields()[step] : undefined;
    at = field?.type;
    // REST has the fields of the chosen type in the value itself.
    const isChoice = isInputObjectType(bare) && bare.isOneOf && isInputObjectType(at && getNullableType(at));
    if (isChoice && index < path.length - 1) return [];
    return (field && inputName(field)) ?? step;
  });
  return formatPath(renamed);
}
