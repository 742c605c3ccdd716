import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { useLocation, useRoute, useRouter } from 'wouter';
import type { SignInProblemCode } from '../../contract/sign-in.ts';
import { Button, Loading } from '../ui/button.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { retried } from '../ui/load.ts';
import { pageData } from '../ui/mount.tsx';
import type { AccountActions } from './apps/account.tsx';
import { CONNECT_ROUTE } from './apps/connection-request.ts';
import { Connection } from './connection.tsx';
import { SigningOut } from './entry/signing-out.tsx';
import { DashboardFiles } from './files.tsx';
import { ErrorNotice } from './frame/loaded.tsx';
import { LiveActivity } from './live/live-activity.tsx';
import { useEnvironment } from './location.ts';
import { useServiceQuery } from './requests.ts';
import { ME } from './session/documents.ts';
import { EntryPage } from './session/entry-page.tsx';
import { type Me, Session } from './session/session.ts';
import { preloadPage, Shell } from './shell/shell.tsx';

// Members who are signed in do not load the forms.
const SignIn = lazy(async () => ({ default: (await retried(() => import('./entry/sign-in.tsx'))).SignIn }));
const Invitation = lazy(async () => ({
  default: (await retried(() => import('./entry/invitation.tsx'))).Invitation,
}));
const ForgotPassword = lazy(async () => ({
  default: (await retried(() => import('./entry/forgot-password.tsx'))).ForgotPassword,
}));
const ResetPassword = lazy(async () => ({
  default: (await retried(() => import('./entry/reset-password.tsx'))).ResetPassword,
}));
const SignOnProblem = lazy(async () => ({
  default: (await retried(() => import('./entry/sign-on-problem.tsx'))).SignOnProblem,
}));
const Connect = lazy(async () => ({ default: (await retried(() => import('./apps/connect.tsx'))).Connect }));

interface SessionState {
  /** Rises with every sign-in and sign-out, which remounts the dashboard. */
  readonly number: number;
  /** False if the browser has no session, so asking the service would only return 401. */
  readonly mayHaveSession: boolean;
  /** Whether a session expired while the dashboard was open. */
  readonly expired: boolean;
}

/** The whole dashboard. It remounts if the user or the environment changes, so no data of the previous one stays. */
export function Dashboard() {
  const environment = useEnvironment();
  const [isConnecting] = useRoute(CONNECT_ROUTE);
  const [{ number, mayHaveSession, expired }, setState] = useState<SessionState>(() => ({
    number: 0,
    // The app leads here from another site, so the browser has not sent the cookie of the session with the page.
    mayHaveSession: isConnecting || (pageData<{ hasSession?: boolean }>().hasSession ?? true),
    expired: false,
  }));
  const restart = useCallback((next: Omit<SessionState, 'number'>) => {
    setState((current) => ({ number: current.number + 1, ...next }));
  }, []);
  const onUnauthorized = useCallback(() => restart({ mayHaveSession: false, expired: true }), [restart]);
  const onSignedIn = useCallback(() => restart({ mayHaveSession: true, expired: false }), [restart]);
  const onSignedOut = useCallback(() => restart({ mayHaveSession: false, expired: false }), [restart]);
  return (
    <Connection key={`${number} ${environment}`} {...{ environment, onUnauthorized }}>
      <ErrorBoundary>
        <Suspense fallback={null}>
          <SignInGate {...{ mayHaveSession, expired, onSignedIn, onSignedOut }} />
        </Suspense>
      </ErrorBoundary>
    </Connection>
  );
}

interface GateProps extends Omit<SessionState, 'number'> {
  readonly onSignedIn: () => void;
  readonly onSignedOut: () => void;
}

/** Why the user has to sign in. */
function reasonOf(isConnecting: boolean, expired: boolean): string | undefined {
  if (isConnecting) return 'An app asks for access to your workspace. Sign in to decide.';
  return expired ? 'Your session has expired. Sign in to continue.' : undefined;
}

/** Shows the dashboard to members, and the sign-in page to everybody else. */
function SignInGate({ mayHaveSession, expired, onSignedIn, onSignedOut }: GateProps) {
  const [path, navigate] = useLocation();
  const [isConnecting] = useRoute(CONNECT_ROUTE);
  const [workspaceId, setWorkspaceId] = useState<string>();
  const [isSigningOut, setSigningOut] = useState(false);
  const { data, error, refetch } = useServiceQuery(ME, {}, { pause: !mayHaveSession || isSigningOut });
  const me = data?.me;
  const { parser } = useRouter();
  useEffect(() => {
    if (mayHaveSession) preloadPage(parser, path);
  }, [mayHaveSession, parser, path]);
  const onDone = useCallback(() => {
    if (path === '/invitation') navigate('/', { replace: true });
    onSignedIn();
  }, [path, navigate, onSignedIn]);
  if (isSigningOut) return <SigningOut onDone={onSignedOut} />;
  const { signInProblem } = pageData<{ signInProblem?: SignInProblemCode }>();
  if (signInProblem) return <SignOnProblem code={signInProblem} />;
  if (path === '/invitation') return <Invitation onDone={onDone} />;
  if (path === '/forgot-password') return <ForgotPassword />;
  if (path === '/reset-password') return <ResetPassword />;
  if (workspaceId) {
    return <SignIn workspaceId={workspaceId} reason="Sign in to switch workspaces." onDone={onDone} />;
  }
  if (me) return <SignedIn me={me} onSignOut={() => setSigningOut(true)} onSwitch={setWorkspaceId} />;
  if (!mayHaveSession || data) {
    return <SignIn reason={reasonOf(isConnecting, expired)} onDone={onDone} />;
  }
  return (
    <EntryPage title="Dashboard">
      {error ? <ErrorNotice error={error} action={<Button onClick={refetch}>Try again</Button>} /> : <Loading />}
    </EntryPage>
  );
}

interface SignedInProps extends AccountActions {
  readonly me: Me;
}

/** The pages of a member. */
function SignedIn({ me, ...actions }: SignedInProps) {
  const [, connection] = useRoute(CONNECT_ROUTE);
  return (
    <Session value={me}>
      {connection ? (
        <Connect requestId={connection.requestId} {...actions} />
      ) : (
        <LiveActivity>
          <DashboardFiles>
            <Shell {...actions} />
          </DashboardFiles>
        </LiveActivity>
      )}
    </Session>
  );
}
