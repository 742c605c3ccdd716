import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import * as z from 'zod/mini';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { Loaded } from '../frame/loaded.tsx';
import { Table } from '../frame/table.tsx';
import { useServiceQuery } from '../requests.ts';
import { CREATE_RECOVERY_CODES, REMOVE_SECOND_FACTOR, SECOND_FACTORS } from './documents.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUp } from './set-up.tsx';

type Factor = NonNullable<ResultOf<typeof SECOND_FACTORS>['me']>['secondFactors'][number];

type Open =
  | { readonly kind: 'add' }
  | { readonly kind: 'codes' }
  | { readonly kind: 'remove'; readonly factor: Factor }
  | { readonly kind: 'shown'; readonly codes: readonly string[] };

const KIND_NAMES = { TOTP: 'Authenticator app', PASSKEY: 'Passkey' } as const;

/** The user's second factors and recovery codes. */
export function SecondFactors() {
  const query = useServiceQuery(SECOND_FACTORS, {});
  const [open, setOpen] = useState<Open>();
  const onClose = () => setOpen(undefined);
  return (
    <div className="flex flex-col gap-3">
      <Loaded query={query}>
        {({ me }) => (
          <>
            <Table
              label="Your second factors"
              columns={[
                { title: 'Name', cell: ({ name }) => name },
                { title: 'Kind', cell: ({ kind }) => KIND_NAMES[kind] },
                { title: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
                {
                  title: 'Actions',
                  cell: (factor) => (
                    <Button
                      small
                      look="danger"
                      aria-label={`Remove ${factor.name}`}
                      onClick={() => setOpen({ kind: 'remove', factor })}
                    >
                      Remove
                    </Button>
                  ),
                },
              ]}
              rows={me?.secondFactors ?? []}
              keyOf={({ secondFactorId }) => secondFactorId}
              empty={<p>Your password alone opens your account.</p>}
            />
            <div className="flex flex-wrap items-center gap-3">
              <Button onClick={() => setOpen({ kind: 'add' })}>Add second factor</Button>
              {(me?.secondFactors.length ?? 0) > 0 && (
                <>
                  <Button onClick={() => setOpen({ kind: 'codes' })}>Create new recovery codes</Button>
                  <span className="text-sm text-muted">{me?.recoveryCodesLeft} recovery codes left</span>
                </>
              )}
            </div>
          </>
        )}
      </Loaded>
      {open?.kind === 'add' && (
        <Dialog title="Add a second factor" onClose={onClose}>
          <SetUp onDone={onClose} />
        </Dialog>
      )}
      {open?.kind === 'remove' && <RemoveDialog factor={open.factor} onClose={onClose} />}
      {open?.kind === 'codes' && (
        <CodesDialog onCreated={(codes) => setOpen({ kind: 'shown', codes })} onClose={onClose} />
      )}
      {open?.kind === 'shown' && (
        <Dialog title="Recovery codes">
          <RecoveryCodes codes={open.codes} onDone={onClose} />
        </Dialog>
      )}
    </div>
  );
}

const passwordSchema = z.object({ password: z.string().check(z.minLength(1, 'Enter your password.')) });

const PASSWORD = { name: 'password', label: 'Your password', type: 'password', required: true } as const;

function RemoveDialog({ factor, onClose }: { readonly factor: Factor; readonly onClose: () => void }) {
  const { secondFactorId, name } = factor;
  const form = useMutationForm({
    schema: passwordSchema,
    defaultValues: { password: '' },
    mutation: REMOVE_SECOND_FACTOR,
    variables: ({ password }) => ({ input: { secondFactorId, password } }),
    onSuccess: onClose,
  });
  return (
    <FormDialog title={`Remove ${name}?`} verb="Remove" {...{ form, onClose }}>
      <p>You cannot sign in with it any more. With the last second factor your recovery codes end too.</p>
      <FormTextField control={form.control} autoComplete="current-password" {...PASSWORD} />
    </FormDialog>
  );
}

interface CodesProps {
  readonly onCreated: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

function CodesDialog({ onCreated, onClose }: CodesProps) {
  const form = useMutationForm({
    schema: passwordSchema,
    defaultValues: { password: '' },
    mutation: CREATE_RECOVERY_CODES,
    variables: (input) => ({ input }),
    onSuccess: ({ recoveryCodes }) => onCreated(recoveryCodes),
  });
  return (
    <FormDialog title="New recovery codes" verb="Create codes" {...{ form, onClose }}>
      <p>Your present codes stop working.</p>
      <FormTextField control={form.control} autoComplete="current-password" {...PASSWORD} />
    </FormDialog>
  );
}
