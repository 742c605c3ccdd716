import type { ResultOf } from 'gql.tada';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useChange, useReading } from '../requests.ts';
import { Loaded } from '../shell/loaded.tsx';
import { OtherFault } from '../shell/other-fault.tsx';
import { Table } from '../shell/table.tsx';
import { REVOKE_SESSION, SESSIONS } from './documents.ts';

type Session = ResultOf<typeof SESSIONS>['sessions'][number];

/** Where somebody is signed in, and how to end it. */
export function SessionList() {
  const reading = useReading(SESSIONS, {});
  const { make, busy, fault } = useChange(REVOKE_SESSION);
  return (
    <div className="flex flex-col gap-3">
      <OtherFault fault={fault} />
      <Loaded reading={reading}>
        {({ sessions }) => (
          <Table
            label="Your sessions"
            columns={[
              { title: 'With', cell: (session) => <With session={session} /> },
              { title: 'Address', cell: ({ address }) => address ?? 'Unknown' },
              { title: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'Never') },
              { title: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                title: 'Actions',
                cell: (session) =>
                  session.isCurrent ? (
                    <Badge tone="accent">This one</Badge>
                  ) : (
                    <Button
                      small
                      look="danger"
                      busy={busy}
                      aria-label={`End: ${browserOf(session.userAgent)}`}
                      onClick={() => make({ sessionId: session.sessionId })}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
            rows={sessions}
            keyOf={({ sessionId }) => sessionId}
            empty={<p>No session of yours is open.</p>}
          />
        )}
      </Loaded>
    </div>
  );
}

function With({ session: { userAgent } }: { readonly session: Session }) {
  return <span title={userAgent ?? undefined}>{browserOf(userAgent)}</span>;
}

/** Browsers by what only they say of themselves; those that pretend to be others come first. */
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

/** A browser as people call it. */
function browserOf(userAgent: string | null): string {
  if (!userAgent) return 'an unknown program';
  const browser = BROWSERS.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1];
  if (!browser) return userAgent.slice(0, 40);
  return system ? `${browser} on ${system}` : browser;
}
