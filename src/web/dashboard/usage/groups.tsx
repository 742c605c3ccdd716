import { useFilter } from '../location.ts';

/** What usage is told apart by, as the service names it. */
const GROUPS = ['day', 'deployment', 'model'] as const;

export type Group = (typeof GROUPS)[number];

const LABELS: Readonly<Record<Group, string>> = { day: 'Day', deployment: 'Deployment', model: 'Model' };

/** In the address, where all of it is one row. */
const NONE = 'none';

/** The groups that the address says, by day where it says none. */
export function useGroups(): readonly Group[] {
  const [chosen] = useFilter('by');
  if (!chosen) return ['day'];
  return GROUPS.filter((group) => chosen.split(',').includes(group));
}

export function GroupChoice() {
  const groups = useGroups();
  const [, choose] = useFilter('by');
  const toggle = (group: Group) => {
    const next = GROUPS.filter((one) => (one === group ? !groups.includes(one) : groups.includes(one)));
    choose(next.join(',') || NONE);
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
