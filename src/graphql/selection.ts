import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Whether a field of what is being resolved was asked for, in fragments too; one that @skip leaves out counts. */
export function selects({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const asksFor = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value === name;
      const inner = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
      return asksFor(inner?.selectionSet);
    }) ?? false;
  return fieldNodes.some(({ selectionSet }) => asksFor(selectionSet));
}
