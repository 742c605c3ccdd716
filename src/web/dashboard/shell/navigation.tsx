import { Link, useLocation } from 'wouter';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { useHref } from '../location.ts';
import { useMe } from '../session/session.ts';
import { GROUPS, type PageEntry } from './pages.ts';

/** The pages that the signed-in user can open. */
export function useVisiblePages(): typeof GROUPS {
  const { role, scopes } = useMe();
  const canOpen = ({ needs }: PageEntry) => {
    if (needs === undefined) return true;
    return needs === 'administration' ? role === 'OWNER' || role === 'ADMIN' : scopes.includes(enumNameOf(needs));
  };
  return GROUPS.map(({ title, pages }) => ({ title, pages: pages.filter(canOpen) })).filter(
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
          <p className="px-3 text-sm text-muted">{title}</p>
          <ul>
            {pages.flatMap(({ label, path: to }) => {
              if (!label) return [];
              const isCurrent = path === to || (to !== '/' && path.startsWith(`${to}/`));
              return (
                <li key={to}>
                  <Link
                    to={href(to)}
                    onClick={onGo}
                    aria-current={isCurrent ? 'page' : undefined}
                    className="block rounded-lg px-3 py-1.5 hover:bg-sunken aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent"
                  >
                    {label}
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
