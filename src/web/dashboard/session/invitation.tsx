import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import { ACCEPT_INVITATION } from './documents.ts';
import { Entrance } from './entrance.tsx';

/** The token stands behind the #, which no server is told. */
const tokenOfAddress = () => new URLSearchParams(window.location.hash.slice(1)).get('token') ?? '';

/** Where an invitation's link leads: a new account, or the password of the one that there is. */
export function Invitation({ onDone }: { readonly onDone: () => void }) {
  const [token] = useState(tokenOfAddress);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const { make, busy, fault } = useChange(ACCEPT_INVITATION);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = { ...(name ? { name } : {}), ...(password ? { password } : {}) };
    if (await make({ input: { token, cookie: true, ...given } })) onDone();
  };
  if (!token) {
    return (
      <Entrance title="Join a workspace">
        <Notice tone="warn">This link is not whole. Open it again from where you got it, or ask for a new one.</Notice>
      </Entrance>
    );
  }
  return (
    <Entrance title="Join a workspace">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Your name"
          hint="Not needed if you have an account already."
          autoComplete="name"
          value={name}
          error={faultAt(fault, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          hint="A new one, or that of the account you have."
          autoComplete="new-password"
          value={password}
          error={faultAt(fault, 'password')}
          onChange={(event) => setPassword(event.target.value)}
        />
        {fault && <Notice tone="danger">{fault.message}</Notice>}
        <Button type="submit" look="primary" busy={busy}>
          Join
        </Button>
      </form>
    </Entrance>
  );
}
