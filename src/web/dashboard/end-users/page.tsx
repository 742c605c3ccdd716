import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Budgets } from '../budgets/budgets.tsx';
import { nameOf, useDeployments } from '../deployment-names/deployment-names.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { FactList } from '../frame/fact-list.tsx';
import { ErrorNotice, Loaded } from '../frame/loaded.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { useEnvironment } from '../location.ts';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { END_USER_ISSUER, REMOVE_END_USER_ISSUER, TEST_END_USER_ISSUER } from './documents.ts';
import { type Issuer, IssuerDialog } from './issuer-dialog.tsx';

export function Page() {
  const environment = useEnvironment();
  const query = useServiceQuery(END_USER_ISSUER, {});
  return (
    <PageFrame
      title="End users"
      lead={
        <>
          How your users reach their own conversations in the{' '}
          <strong className="font-semibold text-ink">{environment}</strong> environment.
        </>
      }
    >
      <Loaded query={query}>
        {({ endUserIssuer: stored }) => (
          <Section title="JWTs of your own server">
            <IssuerSettings stored={stored} />
          </Section>
        )}
      </Loaded>
      <Budgets
        title="Budgets of end users"
        place={{ isAnyEndUser: true }}
        name="an end user"
        empty="No end user has a budget."
      />
    </PageFrame>
  );
}

function IssuerSettings({ stored }: { readonly stored: Issuer | null }) {
  const [open, setOpen] = useState<'edit' | 'remove'>();
  const onClose = () => setOpen(undefined);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        {stored
          ? 'This environment accepts the JWTs of this issuer. It can act as any user of the deployments.'
          : 'This environment accepts no JWTs. Users need a token that your server creates with an API key.'}
      </p>
      {stored && <Facts stored={stored} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button look={stored ? 'plain' : 'primary'} onClick={() => setOpen('edit')}>
          {stored ? 'Change issuer' : 'Set up issuer'}
        </Button>
        {stored && (
          <Button look="danger" onClick={() => setOpen('remove')}>
            Remove issuer
          </Button>
        )}
      </div>
      {stored && <Test key={stored.updatedAt} />}
      {open === 'edit' && <IssuerDialog {...{ stored, onClose }} />}
      {open === 'remove' && <RemoveDialog onClose={onClose} />}
    </div>
  );
}

function Facts({ stored }: { readonly stored: Issuer }) {
  const deployments = useDeployments();
  const { issuer, audience, jwksUrl, deploymentIds, scopeClaim, redirectUri, signIn } = stored;
  const rows: [name: string, value: string][] = [
    ['Issuer', issuer],
    ['Audience', audience],
    ['URL of the keys', jwksUrl],
    ['Deployments', deploymentIds.map((id) => nameOf(deployments, id)).join(', ')],
    ['Scope claim', scopeClaim ?? 'Not set: users can read and write'],
    ['Redirect URI', redirectUri],
    ...signInRows(signIn),
  ];
  return <FactList rows={rows} />;
}

function signInRows(signIn: Issuer['signIn']): [name: string, value: string][] {
  if (!signIn) return [['Assistants', 'Off: users cannot connect assistants']];
  return [
    ['Client ID for assistants', signIn.clientId],
    ['Addresses for assistants', signIn.mcpUrls.join(', ')],
    ['Connected assistants', String(signIn.connectedApps)],
  ];
}

function Test() {
  const { mutate, busy, error } = useServiceMutation(TEST_END_USER_ISSUER);
  const [result, setResult] = useState<{ readonly problem: string | null }>();
  const test = async () => {
    setResult(undefined);
    setResult(await mutate({}));
  };
  return (
    <div className="flex flex-col gap-3">
      <Button className="self-start" busy={busy} onClick={test}>
        Test issuer
      </Button>
      <ErrorNotice error={error} />
      {result?.problem === null && <Notice tone="ok">The issuer can be used.</Notice>}
      {result?.problem && <Notice tone="danger">{result.problem}</Notice>}
    </div>
  );
}

function RemoveDialog({ onClose }: { readonly onClose: () => void }) {
  const { mutate, busy, error } = useServiceMutation(REMOVE_END_USER_ISSUER);
  const confirm = async () => {
    if (await mutate({})) onClose();
  };
  return (
    <ConfirmDialog title="Remove the issuer?" verb="Remove" onConfirm={confirm} {...{ busy, error, onClose }}>
      <p>
        Its JWTs stop working at once, and open pages of its users lose their connection. All assistants of users are
        disconnected.
      </p>
    </ConfirmDialog>
  );
}
