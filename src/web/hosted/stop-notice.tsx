import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
import { Notice } from '../ui/notice.tsx';
import type { Stop } from './use-stop.ts';

/** Why the turn could not be stopped, if it could not. */
export function StopNotice({ error }: Pick<Stop, 'error'>) {
  if (!error) return null;
  return (
    <Notice tone="danger">
      {texts().turn.notStopped} {errorText(error)}
    </Notice>
  );
}
