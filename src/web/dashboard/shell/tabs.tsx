import { Link, useLocation } from 'wouter';
import { useFilter, useHref } from '../location.ts';

interface Props<Name extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly title: string }[];
}

/** The current tab in the URL. The first tab is the default. */
export function useTab<Name extends string>(tabs: Props<Name>['tabs']): Name {
  const [requested] = useFilter('tab');
  const tab = tabs.find(({ name }) => name === requested) ?? tabs[0];
  if (!tab) throw new Error('useTab needs at least one tab.');
  return tab.name;
}

/** The tabs of a page. Each has its own URL. */
export function Tabs<Name extends string>({ label, tabs }: Props<Name>) {
  const [path] = useLocation();
  const href = useHref();
  const current = useTab(tabs);
  return (
    <nav aria-label={label} className="-mx-4 overflow-x-auto border-b border-line px-4 md:mx-0 md:px-0">
      <ul className="flex gap-1">
        {tabs.map(({ name, title }) => (
          <li key={name}>
            <Link
              to={href(path, name === tabs[0]?.name ? {} : { tab: name })}
              aria-current={name === current ? 'page' : undefined}
              className="block whitespace-nowrap border-b-2 border-transparent px-3 py-2 text-muted hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
