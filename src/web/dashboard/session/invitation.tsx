import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import { OtherFault } from '../shell/other-fault.tsx';
import { ACCEPT_INVITATION } from './documents.ts';
import { Entrance } from './entrance.tsx';

/** The token stands behind the #, which no server is told. */
const tokenOfAddress = () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';

/** Where an invitation's link leads: a new account, or the password of the one that there is. */
export function Invitation({ onDone }: { readonly onDone: () => void }) {
  const [token] = useState(tokenOfAddress);
  const { make, busy, fault, forget } = useChange(ACCEPT_INVITATION);
  const [saysSo, setSaysSo] = useState(false);
  // Whoever forgot theirs is told by the first attempt.
  const hasAccount = saysSo || fault?.code === 'unauthorized';
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = { ...(name && !hasAccount ? { name } : {}), ...(password ? { password } : {}) };
    if (await make({ input: { token, cookie: true, ...given } })) onDone();
  };
  if (!token) return <Over>This link is not whole. Open it again from where you got it, or ask for a new one.</Over>;
  if (fault?.code === 'not_found') return <Over>{fault.message}</Over>;
  return (
    <Entrance title="Join a workspace">
      <p className="text-muted">
        {hasAccount
          ? 'Enter the password of the account that you have. It stays as it is, and so does your name.'
          : 'Make an account, and you are in.'}
      </p>
      <form onSubmit={submit} className="flex flex-col gap-4">
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
          key={hasAccount ? 'theirs' : 'new'}
          label={hasAccount ? 'Your password' : 'New password'}
          type="password"
          hint={hasAccount ? 'If you are signed in with it here, leave this empty.' : '12 to 256 characters.'}
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
        <Button
          look="quiet"
          onClick={() => {
            setSaysSo(!hasAccount);
            forget();
          }}
        >
          {hasAccount ? 'I have no account yet' : 'I have an account already'}
        </Button>
      </form>
    </Entrance>
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
