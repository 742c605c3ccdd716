import { LIMITS } from '../../../contract/limits.ts';
import { readStored, removeStored, store } from '../../hosted/tab-storage.ts';

const KEY = 'parley:return';

/** Single sign-on leaves the page and returns to the start of the dashboard. This keeps the page that the user wanted. */
export function keepAddress(): void {
  const { pathname, search } = window.location;
  store(KEY, `${Date.now()} ${pathname}${search}`);
}

/** Opens the kept page instead of the start of the dashboard. Call it before the router reads the address. */
export function restoreAddress(): void {
  if (window.location.pathname !== '/dashboard' || window.location.search) return;
  const [at = '', address = ''] = (readStored(KEY) ?? '').split(' ');
  removeStored(KEY);
  const isRecent = Date.now() - Number(at) < LIMITS.singleSignOnMinutes * 60_000;
  if (isRecent && address.startsWith('/dashboard/')) window.history.replaceState(null, '', address);
}
