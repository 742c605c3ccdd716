import { useApolloClient } from '@apollo/client/react';
import { payloadOf } from './failure.ts';
import { SIGN_IN } from './operations.ts';
import { useAction } from './use-action.ts';

interface Props {
  readonly notice: string;
  readonly onToken: (token: string) => void;
}

export function SignIn({ notice, onToken }: Props) {
  const client = useApolloClient();
  const { run, isRunning, problem } = useAction();
  const signIn = (form: FormData) =>
    run(async () => {
      const input = { email: `${form.get('email')}`, password: `${form.get('password')}` };
      const { data } = await client.mutate({ mutation: SIGN_IN, variables: { input } });
      const { token } = payloadOf(data?.signIn, 'SignInPayload');
      if (token) onToken(token);
    });
  return (
    <form action={signIn}>
      <h1>Inbox</h1>
      <input name="email" type="email" aria-label="Email" autoComplete="username" required />
      <input name="password" type="password" aria-label="Password" autoComplete="current-password" required />
      <button type="submit" disabled={isRunning}>
        Sign in
      </button>
      <p role="alert">{problem || notice}</p>
    </form>
  );
}
