import { enumValueOf } from '../../../contract/enum-names.ts';
import { useFilter } from '../location.ts';

/** The ways to group usage, as the service names them. */
const GROUPS = ['DAY', 'DEPLOYMENT', 'VERSION', 'MODEL', 'END_USER'] as const;

export type Group = (typeof GROUPS)[number];

/** The names of the groups, also as column titles. */
export const LABELS: Readonly<Record<Group, string>> = {
  DAY: 'Day',
  DEPLOYMENT: 'Deployment',
  VERSION: 'Version',
  MODEL: 'Model',
  END_USER: 'End user',
};

/** In the URL: no grouping, so the report has one row. */
const UNGROUPED = 'none';

/** The groups in the URL. The default is by day. */
export function useGroups(): readonly Group[] {
  const [selected] = useFilter('by');
  if (!selected) return ['DAY'];
  return GROUPS.filter((group) => selected.split(',').includes(enumValueOf(group)));
}

export function GroupChoice() {
  const groups = useGroups();
  const [, setGroups] = useFilter('by');
  const toggle = (group: Group) => {
    const next = GROUPS.filter((one) => (one === group ? !groups.includes(one) : groups.includes(one)));
    setGroups(next.map(enumValueOf).join(',') || UNGROUPED);
  };
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">Group by</legend>
      <div className="flex flex-wrap gap-x-3">
        {GROUPS.map((group) => (
          <label key={group} className="flex min-h-10.5 cursor-pointer items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              checked={groups.includes(group)}
              onChange={() => toggle(group)}
              className="size-4 accent-accent"
            />
            {LABELS[group]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
