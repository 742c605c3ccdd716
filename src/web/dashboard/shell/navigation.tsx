import { Link, useLocation } from 'wouter';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { Icon } from '../../ui/icon.tsx';
import { formatCount } from '../../ui/numbers.ts';
import { useWaiting } from '../alerts.ts';
import { useHref } from '../location.ts';
import { useMe } from '../session/session.ts';
import { GROUPS, type PageEntry } from './pages.ts';

/** Whether the signed-in user has a scope or role. */
export function useCanUse(): (needs: PageEntry['needs']) => boolean {
  const { role, scopes } = useMe();
  return (needs) => {
    if (needs === undefined) return true;
    return needs === 'administration' ? role === 'OWNER' || role === 'ADMIN' : scopes.includes(enumNameOf(needs));
  };
}

/** The pages that the signed-in user can open. */
export function useVisiblePages(): typeof GROUPS {
  const canUse = useCanUse();
  return GROUPS.map(({ title, pages }) => ({ title, pages: pages.filter(({ needs }) => canUse(needs)) })).filter(
    ({ pages }) => pages.length > 0,
  );
}

export function Navigation({ onGo }: { readonly onGo?: () => void }) {
  const [path] = useLocation();
  const href = useHref();
  return (
    <nav aria-label="Dashboard" className="flex flex-col gap-5">
      {useVisiblePages().map(({ title, pages }) => (
        <div key={title}>
          <p className="px-2.5 pb-1 text-xs font-semibold tracking-wide text-muted">{title}</p>
          <ul>
            {pages.flatMap(({ label, icon, countsWaiting, path: to }) => {
              if (!label) return [];
              const isCurrent = path === to || (to !== '/' && path.startsWith(`${to}/`));
              return (
                <li key={to}>
                  <Link
                    to={href(to)}
                    onClick={onGo}
                    aria-current={isCurrent ? 'page' : undefined}
                    className="group flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 transition-colors hover:bg-sunken aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent"
                  >
                    {icon && <Icon name={icon} className="size-4.5 text-muted group-aria-[current]:text-accent" />}
                    <span className="min-w-0 flex-1 truncate">{label}</span>
                    {countsWaiting && <Waiting />}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** How much waits in the inbox. Zero is not shown. */
function Waiting() {
  const count = useWaiting() ?? 0;
  if (count === 0) return null;
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs font-semibold text-on-accent tabular-nums">
      {formatCount(count)}
    </span>
  );
}
