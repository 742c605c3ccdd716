import { useCallback, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../ui/button.tsx';
import { pageData } from '../ui/mount.tsx';
import { Notice } from '../ui/notice.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { Connection } from './connection.tsx';
import { LiveActivity } from './live/live-activity.tsx';
import { useEnvironment } from './location.ts';
import { useReading } from './requests.ts';
import { ME } from './session/documents.ts';
import { Entrance } from './session/entrance.tsx';
import { Invitation } from './session/invitation.tsx';
import { Session } from './session/session.ts';
import { SignIn } from './session/sign-in.tsx';
import { SigningOut } from './session/signing-out.tsx';
import { Shell } from './shell/shell.tsx';

/** Where somebody stands: each coming and going begins the dashboard anew. */
interface Standing {
  readonly number: number;
  /** Whether they may have a session: without one there is nobody to be asked for. */
  readonly mayBeIn: boolean;
  /** Whether they had one until now. */
  readonly wasOver: boolean;
}

/** All of the dashboard. A change of who is signed in, or of the environment, begins it anew. */
export function Dashboard() {
  const environment = useEnvironment();
  const [{ number, mayBeIn, wasOver }, setStanding] = useState<Standing>(() => ({
    number: 0,
    mayBeIn: pageData<{ hasSession?: boolean }>().hasSession ?? true,
    wasOver: false,
  }));
  const move = useCallback((to: Omit<Standing, 'number'>) => {
    setStanding((before) => ({ number: before.number + 1, ...to }));
  }, []);
  const onUnauthorized = useCallback(() => move({ mayBeIn: false, wasOver: true }), [move]);
  const onSignedIn = useCallback(() => move({ mayBeIn: true, wasOver: false }), [move]);
  const onSignedOut = useCallback(() => move({ mayBeIn: false, wasOver: false }), [move]);
  return (
    <Connection key={`${number} ${environment}`} {...{ environment, onUnauthorized }}>
      <Door {...{ mayBeIn, wasOver, onSignedIn, onSignedOut }} />
    </Connection>
  );
}

interface DoorProps extends Omit<Standing, 'number'> {
  readonly onSignedIn: () => void;
  readonly onSignedOut: () => void;
}

/** Lets members in, and shows everybody else how to become one. */
function Door({ mayBeIn, wasOver, onSignedIn, onSignedOut }: DoorProps) {
  const [path, navigate] = useLocation();
  const [workspaceId, setWorkspaceId] = useState<string>();
  const [isLeaving, leave] = useState(false);
  const { data, fault, again } = useReading(ME, {}, { pause: !mayBeIn || isLeaving });
  const me = data?.me;
  const enter = useCallback(() => {
    if (path === '/invitation') navigate('/', { replace: true });
    onSignedIn();
  }, [path, navigate, onSignedIn]);
  if (isLeaving) return <SigningOut onDone={onSignedOut} />;
  if (path === '/invitation') return <Invitation onDone={enter} />;
  if (workspaceId) {
    return <SignIn workspaceId={workspaceId} reason="Enter your password to change the workspace." onDone={enter} />;
  }
  if (me) {
    return (
      <Session value={me}>
        <LiveActivity>
          <Shell onSignOut={() => leave(true)} onSwitch={setWorkspaceId} />
        </LiveActivity>
      </Session>
    );
  }
  if (!mayBeIn || data) {
    return <SignIn reason={wasOver ? 'Your session is over. Sign in to go on.' : undefined} onDone={enter} />;
  }
  return (
    <Entrance title="Dashboard">{fault ? <Unreachable message={fault.message} again={again} /> : <Waiting />}</Entrance>
  );
}

function Unreachable({ message, again }: { readonly message: string; readonly again: () => void }) {
  return (
    <Notice tone="danger" action={<Button onClick={again}>Try again</Button>}>
      {message}
    </Notice>
  );
}
