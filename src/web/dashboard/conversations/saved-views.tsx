import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import * as z from 'zod/mini';
import { CREATE_SAVED_VIEW as INPUT } from '../../../shapes/saved-views.ts';
import { Button } from '../../ui/button.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { TabLinks } from '../frame/tab-links.tsx';
import { useGo, useHref } from '../location.ts';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { CREATE_SAVED_VIEW, DELETE_SAVED_VIEW, SAVED_VIEWS, UPDATE_SAVED_VIEW } from './documents.ts';

interface View {
  readonly savedViewId: string;
  readonly name: string;
  readonly parameters: string;
}

/** What a view does not contain: the environment, the position in the list and the open conversation. */
const NOT_SAVED = ['env', 'after', 'before', 'open'];

/** The filters and the order in the URL, in a fixed order, so that two equal views have the same text. */
function parametersOf(params: URLSearchParams): string {
  const saved = new URLSearchParams([...params].filter(([name]) => !NOT_SAVED.includes(name)));
  saved.sort();
  return saved.toString();
}

type Open = { readonly kind: 'create' } | { readonly kind: 'rename' | 'delete'; readonly view: View };

/** The views that the member has saved, as links, and the buttons that change them. */
export function SavedViews() {
  const [params] = useSearchParams();
  const href = useHref();
  const [open, setOpen] = useState<Open>();
  const views = useServiceQuery(SAVED_VIEWS, {}).data?.savedViews ?? [];
  const parameters = parametersOf(params);
  const current = views.find((view) => view.parameters === parameters);
  const close = () => setOpen(undefined);
  if (views.length === 0 && !parameters) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <TabLinks
        label="Saved views"
        look="pill"
        tabs={[{ savedViewId: '', name: 'All', parameters: '' }, ...views].map((view) => ({
          key: view.savedViewId,
          to: href('/conversations', Object.fromEntries(new URLSearchParams(view.parameters))),
          isCurrent: view.parameters === parameters,
          content: view.name,
        }))}
      />
      <div className="flex flex-wrap gap-1">
        {current ? (
          <>
            <Button small look="quiet" onClick={() => setOpen({ kind: 'rename', view: current })}>
              Rename view
            </Button>
            <Button small look="quiet" onClick={() => setOpen({ kind: 'delete', view: current })}>
              Delete view
            </Button>
          </>
        ) : (
          parameters && (
            <Button small look="quiet" onClick={() => setOpen({ kind: 'create' })}>
              Save view
            </Button>
          )
        )}
        {parameters && (
          <Link
            to={href('/conversations')}
            className="inline-flex min-h-8 items-center px-2.5 text-sm text-accent hover:underline"
          >
            Clear filters
          </Link>
        )}
      </div>
      {open?.kind === 'create' && <CreateDialog parameters={parameters} onClose={close} />}
      {open?.kind === 'rename' && <RenameDialog view={open.view} onClose={close} />}
      {open?.kind === 'delete' && <DeleteDialog view={open.view} onClose={close} />}
    </div>
  );
}

const schema = z.object({ name: requiredText('a name', INPUT.fields.name.most) });

function CreateDialog({ parameters, onClose }: { readonly parameters: string; readonly onClose: () => void }) {
  const form = useMutationForm({
    schema,
    defaultValues: { name: '' },
    mutation: CREATE_SAVED_VIEW,
    variables: ({ name }) => ({ input: { name, parameters } }),
    onSuccess: onClose,
  });
  return (
    <FormDialog title="Save this view" verb="Save" form={form} onClose={onClose}>
      <p className="text-muted">
        Saves the filters and the order for you. To share a view, copy the address of the page.
      </p>
      <FormTextField control={form.control} name="name" label="Name" autoComplete="off" />
    </FormDialog>
  );
}

interface ViewProps {
  readonly view: View;
  readonly onClose: () => void;
}

function RenameDialog({ view: { savedViewId, name: before }, onClose }: ViewProps) {
  const form = useMutationForm({
    schema,
    defaultValues: { name: before },
    mutation: UPDATE_SAVED_VIEW,
    variables: ({ name }) => ({ input: { id: savedViewId, name } }),
    onSuccess: onClose,
  });
  return (
    <FormDialog title="Rename this view" verb="Rename" form={form} onClose={onClose}>
      <FormTextField control={form.control} name="name" label="Name" autoComplete="off" />
    </FormDialog>
  );
}

function DeleteDialog({ view: { savedViewId, name }, onClose }: ViewProps) {
  const go = useGo();
  const { mutate, busy, error } = useServiceMutation(DELETE_SAVED_VIEW);
  const confirm = async () => {
    if (!(await mutate({ id: savedViewId }))) return;
    onClose();
    go('/conversations');
  };
  return (
    <ConfirmDialog title="Delete this view?" verb="Delete view" onConfirm={confirm} {...{ busy, error, onClose }}>
      <p>The view “{name}” is deleted. Its conversations stay.</p>
    </ConfirmDialog>
  );
}
