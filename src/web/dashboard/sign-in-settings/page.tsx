import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { FactList } from '../frame/fact-list.tsx';
import { ErrorNotice, Loaded } from '../frame/loaded.tsx';
import { PageFrame, Section } from '../frame/page-frame.tsx';
import { roleName } from '../members/role-name.ts';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { SIGN_IN_SETTINGS, TEST_SIGN_IN_SETTINGS, UPDATE_SIGN_IN_SETTINGS } from './documents.ts';
import { FactorRule } from './factor-rule.tsx';
import { ProviderDialog, type Settings } from './provider-dialog.tsx';

export function Page() {
  const { workspace } = useMe();
  const query = useServiceQuery(SIGN_IN_SETTINGS, {});
  return (
    <PageFrame title="Sign-in" lead={`How members of ${workspace.name} sign in.`}>
      <Loaded query={query}>
        {({ signInSettings: settings }) => (
          <>
            <Section title="Single sign-on">
              <Provider settings={settings} />
            </Section>
            {settings.oidc && (
              <Section title="Passwords">
                <Passwords ssoOnly={settings.ssoOnly} />
              </Section>
            )}
            <Section title="Second factor">
              <FactorRule required={settings.secondFactorRequired} />
            </Section>
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

type OpenDialog = 'edit' | 'remove';

function Provider({ settings: { oidc, domains, redirectUri } }: { readonly settings: Settings }) {
  const isOwner = useMe().role === 'OWNER';
  const [open, setOpen] = useState<OpenDialog>();
  const onClose = () => setOpen(undefined);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        Members can sign in with an OpenID Connect provider. Register this redirect URI there:
      </p>
      <p className="flex flex-wrap items-center gap-2">
        <code className="wrap-anywhere font-mono text-sm">{redirectUri}</code>
        <CopyButton text={redirectUri} />
      </p>
      <p>
        {domains.length > 0 ? `Domains: ${domains.join(', ')}.` : 'The workspace has no domain yet.'} The operator
        assigns domains. Only people with an email address of these domains can use single sign-on.
      </p>
      {oidc && <Facts oidc={oidc} />}
      <div className="flex flex-wrap items-center gap-2">
        {isOwner && (
          <Button look={oidc ? 'plain' : 'primary'} onClick={() => setOpen('edit')}>
            {oidc ? 'Change provider' : 'Set up provider'}
          </Button>
        )}
        {isOwner && oidc && (
          <Button look="danger" onClick={() => setOpen('remove')}>
            Remove provider
          </Button>
        )}
        {!isOwner && <span className="text-sm text-muted">Only owners can change the provider.</span>}
      </div>
      {oidc && <Test />}
      {open === 'edit' && <ProviderDialog {...{ oidc, onClose }} />}
      {open === 'remove' && <RemoveDialog onClose={onClose} />}
    </div>
  );
}

function Facts({ oidc }: { readonly oidc: NonNullable<Settings['oidc']> }) {
  const { issuer, clientId, roleClaim, defaultRole, jitMembership } = oidc;
  const rows: [name: string, value: string][] = [
    ['Issuer', issuer],
    ['Client ID', clientId],
    ['Role claim', roleClaim ?? 'Not set: the members page sets roles'],
    ['Default role', roleName(defaultRole)],
    ['New people', jitMembership ? 'Become members with their first sign-in' : 'Need an invitation'],
  ];
  return <FactList rows={rows} />;
}

function Test() {
  const { workspace } = useMe();
  const { mutate, busy, error } = useServiceMutation(TEST_SIGN_IN_SETTINGS);
  const [result, setResult] = useState<{ readonly problem: string | null }>();
  const test = async () => {
    setResult(undefined);
    setResult(await mutate({}));
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button busy={busy} onClick={test}>
          Test provider
        </Button>
        <a href={`/sign-in/oidc?workspace=${workspace.workspaceId}`} className="text-accent underline">
          Sign in with it now
        </a>
      </div>
      <ErrorNotice error={error} />
      {result?.problem === null && (
        <Notice tone="ok">The provider responds. Sign in with it to check the client.</Notice>
      )}
      {result?.problem && <Notice tone="danger">{result.problem}</Notice>}
    </div>
  );
}

function RemoveDialog({ onClose }: { readonly onClose: () => void }) {
  const { mutate, busy, error } = useServiceMutation(UPDATE_SIGN_IN_SETTINGS);
  const confirm = async () => {
    if (await mutate({ input: { oidc: null } })) onClose();
  };
  return (
    <ConfirmDialog title="Remove the provider?" verb="Remove" onConfirm={confirm} {...{ busy, error, onClose }}>
      <p>Members sign in with a password again. Members without one need a link for a new password.</p>
    </ConfirmDialog>
  );
}

function Passwords({ ssoOnly }: { readonly ssoOnly: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { mutate, busy, error, reset } = useServiceMutation(UPDATE_SIGN_IN_SETTINGS);
  const onClose = () => {
    reset();
    setOpen(false);
  };
  const confirm = async () => {
    if (await mutate({ input: { ssoOnly: !ssoOnly } })) onClose();
  };
  const verb = ssoOnly ? 'Allow passwords' : 'Require single sign-on';
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p>{ssoOnly ? <Badge tone="accent">Single sign-on only</Badge> : <Badge>Passwords allowed</Badge>}</p>
      <Button onClick={() => setOpen(true)}>{verb}</Button>
      {isOpen && (
        <ConfirmDialog title={`${verb}?`} look="primary" onConfirm={confirm} {...{ verb, busy, error, onClose }}>
          <p>
            {ssoOnly
              ? 'Members can sign in with their password again.'
              : 'Members cannot sign in with a password, and other sessions that a password opened end now. API keys keep working. If the provider fails, the operator can allow passwords again.'}
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
}
