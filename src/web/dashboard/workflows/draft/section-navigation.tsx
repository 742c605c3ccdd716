import { Link, useLocation } from 'wouter';
import { SelectField } from '../../../ui/field.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { useHref } from '../../location.ts';
import { useDraftForm } from './draft-form.ts';
import { invalidSections, SECTIONS, type SectionName, useSection } from './sections.ts';

/** The sections of the editor: a list on wide screens, a select on narrow ones. Both mark invalid sections. */
export function SectionNavigation() {
  const [current, setSection] = useSection();
  const invalid = invalidSections(useDraftForm());
  return (
    <>
      <SelectField
        label="Section"
        className="lg:hidden"
        value={current}
        // The options are the sections.
        onChange={(event) => setSection(event.target.value as SectionName)}
      >
        {SECTIONS.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
            {invalid.includes(name) ? ' (invalid)' : ''}
          </option>
        ))}
      </SelectField>
      <nav aria-label="Sections of the draft" className="sticky top-4 hidden lg:block">
        <ul className="flex flex-col gap-0.5">
          {SECTIONS.map((section) => (
            <SectionLink
              key={section.name}
              {...section}
              isCurrent={section.name === current}
              isInvalid={invalid.includes(section.name)}
            />
          ))}
        </ul>
      </nav>
    </>
  );
}

interface LinkProps {
  readonly name: SectionName;
  readonly title: string;
  readonly isCurrent: boolean;
  readonly isInvalid: boolean;
}

function SectionLink({ name, title, isCurrent, isInvalid }: LinkProps) {
  const [path] = useLocation();
  const href = useHref();
  return (
    <li>
      <Link
        to={href(path, name === SECTIONS[0].name ? {} : { section: name })}
        aria-current={isCurrent ? 'true' : undefined}
        className="flex min-h-10 items-center justify-between gap-2 rounded-lg px-3 py-1.5 text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
      >
        {title}
        {isInvalid && <Badge tone="danger">Invalid</Badge>}
      </Link>
    </li>
  );
}
