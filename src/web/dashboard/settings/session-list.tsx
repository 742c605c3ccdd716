import type { ResultOf } from 'gql.tada';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { ErrorNotice, Loaded } from '../frame/loaded.tsx';
import { Table } from '../frame/table.tsx';
import { useServiceMutation, useServiceQuery } from '../requests.ts';
import { REVOKE_SESSION, SESSIONS } from './documents.ts';

type Session = ResultOf<typeof SESSIONS>['sessions'][number];

/** The user's sessions. */
export function SessionList() {
  const query = useServiceQuery(SESSIONS, {});
  const { mutate, busy, error } = useServiceMutation(REVOKE_SESSION);
  return (
    <div className="flex flex-col gap-3">
      <ErrorNotice error={error} />
      <Loaded query={query}>
        {({ sessions }) => (
          <Table
            label="Your sessions"
            columns={[
              { title: 'Browser', cell: (session) => <BrowserName session={session} /> },
              { title: 'IP address', cell: ({ address }) => address ?? 'Unknown' },
              { title: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
              { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                title: 'Actions',
                cell: (session) =>
                  session.isCurrent ? (
                    <Badge tone="accent">This session</Badge>
                  ) : (
                    <Button
                      small
                      look="danger"
                      busy={busy}
                      aria-label={`Sign out ${browserOf(session.userAgent)}`}
                      onClick={() => mutate({ sessionId: session.sessionId })}
                    >
                      Sign out
                    </Button>
                  ),
              },
            ]}
            rows={sessions}
            keyOf={({ sessionId }) => sessionId}
            empty={<p>You have no open sessions.</p>}
          />
        )}
      </Loaded>
    </div>
  );
}

function BrowserName({ session: { userAgent } }: { readonly session: Session }) {
  return <span title={userAgent ?? undefined}>{browserOf(userAgent)}</span>;
}

/** Browsers by a mark in their user agent. Order matters: Edge and Opera also contain `Chrome/`, and Chrome `Safari/`. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const;

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** A browser and its system, like "Firefox on Linux". */
function browserOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser';
  const browser = BROWSERS.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1];
  if (!browser) return userAgent.slice(0, 40);
  return system ? `${browser} on ${system}` : browser;
}
