import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '../../ui/button.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { FormCheckbox, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { useServiceMutation } from '../requests.ts';
import { SIGN_IN_TO_INTEGRATION, SIGN_OUT_OF_INTEGRATION } from './documents.ts';
import type { Integration } from './integration-dialogs.tsx';

type SignIn = NonNullable<Integration['signIn']>;

/** What the page says about the outcome of a sign-in that the browser returns from. */
export const OUTCOMES: Readonly<Record<string, { readonly isDone: boolean; readonly text: string }>> = {
  done: { isDone: true, text: 'You are signed in. Workflows can use the server now.' },
  denied: { isDone: false, text: 'The sign-in was refused at the server. Nothing was changed.' },
  expired: {
    isDone: false,
    text: 'The sign-in took too long, was used before, or began in another browser or session. Start it again.',
  },
  not_allowed: { isDone: false, text: 'Your role does not allow you to change integrations.' },
  failed: { isDone: false, text: 'The server did not accept the sign-in. Start it again, or ask its operator.' },
};

const schema = z.object({ ownClient: z.boolean(), clientId: z.string(), clientSecret: z.string() });

interface Props {
  readonly integration: Integration;
  readonly onClose: () => void;
}

/** The sign-in of a member to an MCP server. It continues on the page of the server. */
export function SignInDialog({ integration, onClose }: Props) {
  const { integrationId: id, name, url, signIn } = integration;
  const [leaving, setLeaving] = useState(false);
  const form = useMutationForm({
    schema,
    defaultValues: { ownClient: false, clientId: '', clientSecret: '' },
    mutation: SIGN_IN_TO_INTEGRATION,
    variables: ({ ownClient, clientId, clientSecret }) => ({
      input: { id, ...(ownClient && { clientId, ...(clientSecret !== '' && { clientSecret }) }) },
    }),
    onSuccess: ({ authorizationUrl }) => {
      setLeaving(true);
      window.location.assign(authorizationUrl);
    },
  });
  const { control } = form;
  const ownClient = useWatch({ control, name: 'ownClient' });
  return (
    <FormDialog
      title={`Sign in to ${name}`}
      verb={`Sign in to ${new URL(url).host}`}
      disabled={leaving}
      {...{ form, onClose }}
    >
      <p>
        Workflows of this environment use the server with your access, also for other members and visitors. Sign in with
        an account that may do only what they need.
      </p>
      {signIn && <State signIn={signIn} id={id} onSignOut={onClose} />}
      <FormCheckbox
        control={control}
        name="ownClient"
        label="Use a client ID"
        hint="Only if the operator of the server gave you one. It replaces the stored one."
      />
      {ownClient && (
        <>
          <FormTextField control={control} name="clientId" label="Client ID" autoComplete="off" required />
          <FormTextField
            control={control}
            name="clientSecret"
            label="Client secret"
            hint="It is encrypted and never shown again."
            type="password"
            autoComplete="off"
          />
        </>
      )}
    </FormDialog>
  );
}

interface StateProps {
  readonly signIn: SignIn;
  readonly id: string;
  readonly onSignOut: () => void;
}

function State({ signIn, id, onSignOut }: StateProps) {
  const { mutate, busy, error } = useServiceMutation(SIGN_OUT_OF_INTEGRATION);
  const { state, problem, issuer, scopes, signedInAt, signedInBy, accessExpiresAt, renewsAutomatically } = signIn;
  const signOut = async () => {
    if (await mutate({ id })) onSignOut();
  };
  return (
    <>
      {problem && <Notice tone="warn">{problem}</Notice>}
      {error && <Notice tone="danger">{error.message}</Notice>}
      {signedInAt && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg bg-sunken p-3 text-sm">
          <div className="min-w-0 flex-1 basis-60">
            <p>
              {state === 'NEEDED' ? 'Last sign-in' : 'Signed in'}
              {signedInBy && ` by ${signedInBy.name}`} <Time at={signedInAt} />
              {issuer && ` at ${new URL(issuer).host}`}.
            </p>
            {accessExpiresAt && (
              <p>
                {renewsAutomatically ? 'Renews automatically. Current access expires ' : 'Expires '}
                <Time at={accessExpiresAt} />.
              </p>
            )}
            {scopes.length > 0 && <p className="break-words">Permissions: {scopes.join(', ')}</p>}
          </div>
          <Button small busy={busy} onClick={signOut}>
            Sign out
          </Button>
        </div>
      )}
    </>
  );
}

const BADGES = {
  NOT_NEEDED: undefined,
  NEEDED: <Badge tone="warn">Sign-in needed</Badge>,
  SIGNED_IN: <Badge tone="ok">Signed in</Badge>,
  INCOMPLETE: <Badge tone="warn">More permissions needed</Badge>,
} as const;

/** The state of a sign-in in a list. */
export function SignInBadge({ signIn }: Pick<Integration, 'signIn'>) {
  return (signIn && BADGES[signIn.state]) ?? <span className="text-muted">–</span>;
}
