import type { ResultOf } from 'gql.tada';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { faultAt } from '../fault.ts';
import { useChange, useReading } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { OtherFault } from '../shell/other-fault.tsx';
import { ACCEPT_INVITATION, INVITATION_OFFER } from './documents.ts';
import { Entrance } from './entrance.tsx';

/** The token stands behind the #, which no server is told. */
const tokenOfAddress = () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';

/** Where an invitation's link leads: a new account, or the password of the one that there is. */
export function Invitation({ onDone }: { readonly onDone: () => void }) {
  const [token] = useState(tokenOfAddress);
  const reading = useReading(INVITATION_OFFER, { token }, { pause: !token });
  const offer = reading.data?.invitationOffer;
  if (!token) return <Over>This link is not whole. Open it again from where you got it, or ask for a new one.</Over>;
  if (reading.fault?.code === 'not_found') return <Over>{reading.fault.message}</Over>;
  return (
    <Entrance title={offer ? `Join ${offer.workspaceName}` : 'Join a workspace'}>
      <Loaded reading={reading}>{() => offer && <Join {...{ token, offer, onDone }} />}</Loaded>
    </Entrance>
  );
}

interface JoinProps {
  readonly token: string;
  readonly offer: NonNullable<ResultOf<typeof INVITATION_OFFER>['invitationOffer']>;
  readonly onDone: () => void;
}

function Join({ token, offer: { email, role, hasAccount }, onDone }: JoinProps) {
  const { make, busy, fault } = useChange(ACCEPT_INVITATION);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = { ...(hasAccount ? {} : { name }), ...(password ? { password } : {}) };
    if (await make({ input: { token, cookie: true, ...given } })) onDone();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">
        <strong className="break-all font-medium text-ink">{email}</strong> is invited as {role}.{' '}
        {hasAccount ? 'You have an account already: join by its password.' : 'Make an account, and you are in.'}
      </p>
      {/* For the browser's own store of passwords. */}
      <input type="hidden" autoComplete="username" value={email} />
      {!hasAccount && (
        <TextField
          label="Your name"
          autoComplete="name"
          required
          value={name}
          error={faultAt(fault, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label={hasAccount ? 'Your password' : 'New password'}
        type="password"
        hint={
          hasAccount ? 'Leave it empty where you are signed in with this account already.' : '12 to 256 characters.'
        }
        autoComplete={hasAccount ? 'current-password' : 'new-password'}
        required={!hasAccount}
        value={password}
        error={faultAt(fault, 'password')}
        onChange={(event) => setPassword(event.target.value)}
      />
      <OtherFault fault={fault} shownAt={['name', 'password']} />
      <Button type="submit" look="primary" busy={busy}>
        Join
      </Button>
    </form>
  );
}

/** The link leads nowhere any more. */
function Over({ children }: { readonly children: string }) {
  return (
    <Entrance title="Join a workspace">
      <Notice tone="warn">{children}</Notice>
      <p>
        If you have joined already,{' '}
        <Link to="/" className="text-accent underline">
          sign in
        </Link>
        .
      </p>
    </Entrance>
  );
}
