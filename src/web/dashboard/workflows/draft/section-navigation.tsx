import { useLocation } from 'wouter';
import { SelectField } from '../../../ui/field.tsx';
import { Badge } from '../../../ui/notice.tsx';
import { TabLinks } from '../../frame/tab-links.tsx';
import { useHref } from '../../location.ts';
import { useDraftForm } from './draft-form.ts';
import { invalidSections, SECTIONS, type SectionName, useSection } from './sections.ts';

/** The sections of the editor: a list on wide screens, a select on narrow ones. Both mark invalid sections. */
export function SectionNavigation() {
  const [current, setSection] = useSection();
  const [path] = useLocation();
  const href = useHref();
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
      <TabLinks
        label="Sections of the draft"
        look="side"
        className="hidden lg:block"
        tabs={SECTIONS.map(({ name, title }) => ({
          key: name,
          to: href(path, name === SECTIONS[0].name ? {} : { section: name }),
          isCurrent: name === current,
          content: (
            <>
              {title}
              {invalid.includes(name) && <Badge tone="danger">Invalid</Badge>}
            </>
          ),
        }))}
      />
    </>
  );
}
