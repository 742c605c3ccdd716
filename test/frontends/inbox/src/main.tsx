import { ApolloProvider } from '@apollo/client/react';
import { StrictMode, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { connect } from './client.ts';
import { Composer } from './composer.tsx';
import { ConversationList } from './conversation-list.tsx';
import { ConversationView } from './conversation-view.tsx';
import { SIGN_OUT } from './operations.ts';
import { SignIn } from './sign-in.tsx';

const address = new URLSearchParams(location.search);
const url = address.get('service') ?? 'http://127.0.0.1:4000';
const live = address.get('live') === 'sse' ? 'sse' : 'multipart';

function App() {
  const [token, setToken] = useState(() => sessionStorage.getItem('token') ?? undefined);
  const [notice, setNotice] = useState('');
  const keep = (next: string | undefined, reason = '') => {
    if (next) sessionStorage.setItem('token', next);
    else sessionStorage.removeItem('token');
    setToken(next);
    setNotice(reason);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: `keep` uses only setters
  const client = useMemo(
    () => connect({ url, token, live, onSignedOut: () => keep(undefined, 'Your session has ended. Sign in again.') }),
    [token],
  );
  const signOut = async () => {
    await client.mutate({ mutation: SIGN_OUT }).catch(() => {});
    keep(undefined);
  };
  return (
    <ApolloProvider client={client}>
      {token ? <Inbox onSignOut={signOut} /> : <SignIn notice={notice} onToken={keep} />}
    </ApolloProvider>
  );
}

function Inbox({ onSignOut }: { readonly onSignOut: () => void }) {
  const [selected, select] = useState<string>();
  return (
    <>
      <header>
        <h1>Inbox</h1>
        <button type="button" onClick={() => select(undefined)}>
          New conversation
        </button>
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <main>
        <ConversationList selected={selected} onSelect={select} />
        {selected ? (
          <ConversationView key={selected} id={selected} onDeleted={() => select(undefined)} />
        ) : (
          <section aria-label="New conversation">
            <Composer onStarted={select} />
          </section>
        )}
      </main>
    </>
  );
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
