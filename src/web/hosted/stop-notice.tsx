import { Notice } from '../ui/notice.tsx';
import { errorText } from './error-text.ts';
import type { Stop } from './use-stop.ts';

/** Why the turn could not be stopped, if it could not. */
export function StopNotice({ error }: Pick<Stop, 'error'>) {
  return error && <Notice tone="danger">The reply could not be stopped. {errorText(error)}</Notice>;
}
