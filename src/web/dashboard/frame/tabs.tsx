import { useLocation } from 'wouter';
import { useFilter, useHref } from '../location.ts';
import { TabLinks } from './tab-links.tsx';

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
    <TabLinks
      label={label}
      look="line"
      tabs={tabs.map(({ name, title }) => ({
        key: name,
        to: href(path, name === tabs[0]?.name ? {} : { tab: name }),
        isCurrent: name === current,
        content: title,
      }))}
    />
  );
}
