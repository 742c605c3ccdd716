import type { ContentPart } from '../../../sdk/index.ts';
import type { graphql } from '../graphql.ts';

type PartInput = ReturnType<typeof graphql.scalar<'ContentPartInput'>>;

/** A part as GraphQL takes it: one field, which is named after the type of the part. */
export function partInput(part: ContentPart): PartInput {
  if (part.type === 'text') return { text: part.text };
  const { type, ...file } = part;
  return { [type]: file } as PartInput;
}
