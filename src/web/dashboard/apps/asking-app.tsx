import { Badge, Notice } from '../../ui/notice.tsx';
import { Fact, Facts } from '../frame/expandable.tsx';
import type { ConnectionRequest } from './connection-request.ts';

interface Props {
  readonly request: ConnectionRequest;
}

/** Who asks, and where the access goes. The name proves nothing, so the page never shows it without quotes. */
export function AskingApp({ request }: Props) {
  const { clientName, clientId, clientHost, redirectHost, isLoopback } = request;
  return (
    <>
      <Facts>
        <Fact name="Name">
          <AppName name={clientName} />
          <span className="block text-sm text-muted">The app gives itself this name.</span>
        </Fact>
        <Fact name="Website">
          {clientHost ?? <Badge tone="warn">Unverified</Badge>}
          {clientHost !== null && <span className="block text-sm text-muted">Parley verified this address.</span>}
        </Fact>
        <Fact name="Access goes to">{isLoopback ? `A program on this computer (${redirectHost})` : redirectHost}</Fact>
        <Fact name="Client ID">
          <span className="font-mono text-sm wrap-anywhere">{clientId}</span>
        </Fact>
      </Facts>
      <Warning request={request} />
    </>
  );
}

function Warning({ request: { clientHost, redirectHost, isLoopback } }: Props) {
  if (clientHost !== null && !isLoopback) return null;
  const reason = isLoopback
    ? 'A program on this computer gets the access, and Parley cannot check which one.'
    : `Nobody has verified this app. The owner of ${redirectHost} gets the access.`;
  return (
    <div className="mt-4">
      <Notice tone="warn">{reason} Allow it only if you have just started this connection yourself.</Notice>
    </div>
  );
}

/** A name from outside. It cannot change the direction of the text around it. */
export function AppName({ name }: { readonly name: string }) {
  return (
    <span className="break-words">
      “<bdi>{name}</bdi>”
    </span>
  );
}
