import { LIMITS } from '../../../contract/limits.ts';
import {
  createSavedView,
  deleteSavedView,
  listSavedViews,
  updateSavedView,
} from '../../../domain/access/workspaces/saved-views.ts';
import { rowKey } from '../../../domain/row-key.ts';
import type { NodeExtensions } from '../../../operation/node-scope.ts';
import { CREATE_SAVED_VIEW, DELETE_SAVED_VIEW, UPDATE_SAVED_VIEW } from '../../../shapes/saved-views.ts';
import { builder } from '../builder.ts';
import { deletedId, mutation } from '../mutation.ts';
import type { NodeRowsExtensions } from '../node-rows.ts';
import { inputType } from '../shape-fields.ts';

export const SavedView = builder.prismaNode('SavedView', {
  id: { resolve: ({ id }) => id, description: 'The global ID, for `node`.' },
  extensions: {
    nodeSession: true,
    nodeRows: {
      model: 'savedView',
      keyOf: (id) => id,
      where: (context) => ({ userId: context.requireSession().user.id }),
    },
  } satisfies NodeExtensions & NodeRowsExtensions,
  nullable: true,
  findUnique: (id, { domain }) => rowKey(domain.environment, id),
  description: 'Named filters of the conversation list. Only the member who saved them sees them.',
  fields: (t) => ({
    savedViewId: t.exposeID('id', { description: 'The ID: view_ and 26 characters.' }),
    name: t.exposeString('name', { description: 'The name, unique among the views of the member in the environment.' }),
    parameters: t.exposeString('parameters', {
      description: 'The filters and the order, as the query string of the list page.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  }),
});

builder.queryField('savedViews', (t) =>
  t.field({
    publishing: 'never',
    type: [SavedView],
    access: { session: true },
    description:
      'The views of the conversation list that the signed-in member has saved in the environment, by name. Needs a session.',
    resolve: (_root, _args, { domain }) => listSavedViews(domain),
  }),
);

mutation('createSavedView', {
  publishing: 'never',
  access: { session: true },
  description: `Saves a view of the conversation list for the signed-in member. Limit: ${LIMITS.savedViews} per environment. Needs a session.`,
  input: inputType(CREATE_SAVED_VIEW),
  errors: ['invalid_request'],
  resolve: (input, { domain }) => createSavedView(domain, input),
  payload: (t) => ({
    savedView: t.field({ type: SavedView, description: 'The new view.', resolve: (view) => view }),
  }),
});

mutation('updateSavedView', {
  publishing: 'never',
  access: { session: true },
  description: 'Renames a view of the signed-in member, or replaces its filters. Needs a session.',
  input: inputType(UPDATE_SAVED_VIEW),
  errors: ['invalid_request', 'not_found'],
  resolve: ({ id, ...input }, { domain }) => updateSavedView(domain, id, input),
  payload: (t) => ({
    savedView: t.field({ type: SavedView, description: 'The changed view.', resolve: (view) => view }),
  }),
});

mutation('deleteSavedView', {
  publishing: 'never',
  access: { session: true },
  description: 'Deletes a view of the signed-in member. Needs a session.',
  input: inputType(DELETE_SAVED_VIEW),
  errors: ['not_found'],
  resolve: ({ id }, { domain }) => deleteSavedView(domain, id),
  payload: (t) => ({
    deletedId: deletedId(t, 'SavedView', ({ id }) => id),
    savedView: t.field({ type: SavedView, description: 'Its last state.', resolve: (view) => view }),
  }),
});
