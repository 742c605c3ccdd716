import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useChange } from '../requests.ts';
import { SIGN_IN } from './documents.ts';
import { Entrance } from './entrance.tsx';

interface Props {
  /** Where to, of the workspaces that one may belong to; the one of longest standing by default. */
  readonly workspaceId?: string | undefined;
  /** Why one has to sign in now. */
  readonly reason?: string | undefined;
  readonly onDone: () => void;
}

export function SignIn({ workspaceId, reason, onDone }: Props) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { make, busy, fault } = useChange(SIGN_IN);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const to = workspaceId ? { workspaceId } : {};
    if (await make({ input: { email, password, cookie: true, ...to } })) onDone();
  };
  return (
    <Entrance title="Sign in">
      {reason && <Notice>{reason}</Notice>}
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {fault && <Notice tone="danger">{fault.message}</Notice>}
        <Button type="submit" look="primary" busy={busy}>
          Sign in
        </Button>
      </form>
    </Entrance>
  );
}
