import { type ComponentType, useEffect, useState } from 'react';
import { SaveBar } from '../../forms/save-bar.tsx';
import { ReadOnlyNotice } from '../../frame/page-frame.tsx';
import { usePermission } from '../../session/session.ts';
import { Abilities } from './abilities.tsx';
import { Approvals } from './approvals.tsx';
import { Limits, People, Replies } from './behaviour.tsx';
import { useDraftForm } from './draft-form.ts';
import { changedFields, type WorkflowData } from './draft-values.ts';
import { HttpActions } from './http-actions.tsx';
import { Instructions } from './instructions.tsx';
import { ModelSection } from './model-section.tsx';
import { SectionNavigation } from './section-navigation.tsx';
import { invalidSections, type SectionName, useSection } from './sections.ts';
import { McpServers } from './server-tools.tsx';
import { TriggerSwitch } from './trigger-switch.tsx';

interface SectionProps {
  readonly workflow: WorkflowData;
}

const CONTENT: Readonly<Record<SectionName, ComponentType<SectionProps>>> = {
  instructions: Instructions,
  model: ModelSection,
  abilities: Abilities,
  actions: Actions,
  approvals: Approvals,
  replies: Replies,
  people: People,
  limits: Limits,
  start: ({ workflow }) => <TriggerSwitch {...workflow} />,
};

/** The draft, one section at a time. All sections belong to one form. */
export function DraftTab({ workflow }: SectionProps) {
  const canWrite = usePermission('workflows:write');
  const [section] = useSection();
  const Content = CONTENT[section];
  return (
    <div className="flex flex-col gap-6">
      {!canWrite && <ReadOnlyNotice subject="this workflow" />}
      <div className="grid items-start gap-6 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <SectionNavigation />
        <div className="flex min-w-0 flex-col">
          <fieldset disabled={!canWrite} className="flex min-w-0 flex-col gap-6 pb-6">
            <Content key={section} workflow={workflow} />
          </fieldset>
          {canWrite && <DraftSaveBar />}
        </div>
      </div>
    </div>
  );
}

function Actions() {
  return (
    <>
      <HttpActions />
      <McpServers />
    </>
  );
}

/** The save bar stays visible at the end of the window. */
function DraftSaveBar() {
  const form = useDraftForm();
  const save = useSaveOrShow();
  const { conflict } = form;
  return (
    <div className="sticky bottom-0 z-10 -mx-4 flex flex-col gap-3 border-t border-line bg-canvas px-4 py-3 md:mx-0 md:px-0">
      <SaveBar
        verb="Save draft"
        form={{ ...form, save }}
        conflict={
          conflict && {
            ...conflict,
            subject: 'This draft',
            changed: changedFields(conflict.base, conflict.theirs),
          }
        }
      />
    </div>
  );
}

/** Saves the draft. If a field of another section is invalid, opens that section and focuses the field. */
function useSaveOrShow(): () => Promise<boolean> {
  const form = useDraftForm();
  const [section, setSection] = useSection();
  const [isRejected, setRejected] = useState(false);
  const invalid = invalidSections(form);
  const target = invalid.includes(section) ? section : invalid[0];
  useEffect(() => {
    if (!isRejected || target === undefined) return;
    if (target !== section) return setSection(target);
    setRejected(false);
    document.querySelector<HTMLElement>('main [aria-invalid]')?.focus();
  });
  return async () => {
    const isSaved = await form.save();
    setRejected(!isSaved);
    return isSaved;
  };
}
