import { useId } from 'react';
import { type Control, useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { type EnumName, enumNameOf, enumValueIn } from '../../../contract/enum-names.ts';
import { EVENT_TYPES, type EventType } from '../../../contract/statuses.ts';
import { CREATE_WEBHOOK_ENDPOINT } from '../../../shapes/webhooks.ts';
import { Checkbox } from '../../ui/field.tsx';
import { EVENT_GROUPS } from '../events/event-groups.ts';
import { FormTextArea, FormTextField } from '../forms/fields.tsx';
import { optionalText, requiredText } from '../forms/rules.ts';

const TYPES = EVENT_TYPES.map(enumNameOf);

export const endpointSchema = z.object({
  url: requiredText('a URL', CREATE_WEBHOOK_ENDPOINT.fields.url.most).check(z.trim()),
  description: optionalText(CREATE_WEBHOOK_ENDPOINT.fields.description.most),
  /** Null means all types of resources and integrations. */
  eventTypes: z.nullable(z.array(z.enum(TYPES)).check(z.minLength(1, 'Select at least one type.'))),
});

type EndpointControl = Control<z.input<typeof endpointSchema>, unknown, z.output<typeof endpointSchema>>;

export function EndpointFields({ control }: { readonly control: EndpointControl }) {
  return (
    <>
      <FormTextField
        control={control}
        name="url"
        label="URL"
        hint="A public https address. The service sends signed POST requests to it."
        inputMode="url"
        autoComplete="off"
        placeholder="https://"
        required
      />
      <EventTypes control={control} />
      <FormTextArea control={control} name="description" label="Description" hint="Optional. For your team." rows={2} />
    </>
  );
}

function EventTypes({ control }: { readonly control: EndpointControl }) {
  const { field, fieldState } = useController({ control, name: 'eventTypes' });
  const { value: selected, onChange } = field;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Events</legend>
      <Choice
        label="All types of resources and integrations, including types that future versions add"
        checked={!selected}
        onSelect={() => onChange(null)}
      />
      <Choice label="Only these types" checked={selected !== null} onSelect={() => onChange(selected ?? [])} />
      {selected && (
        <div className="ml-6 flex flex-col gap-4">
          {EVENT_GROUPS.map(({ title, types }) => (
            <fieldset key={title} className="flex flex-col gap-1.5">
              <legend className="mb-1 text-sm text-muted">{title}</legend>
              {types.map(enumNameOf).map((type) => (
                <Checkbox
                  key={type}
                  label={<span className="font-mono text-sm">{enumValueIn(EVENT_TYPES, type)}</span>}
                  checked={selected.includes(type)}
                  onChange={({ target }) =>
                    onChange(TYPES.filter((one) => (one === type ? target.checked : selected.includes(one))))
                  }
                />
              ))}
            </fieldset>
          ))}
        </div>
      )}
      {fieldState.error && <p className="text-sm text-danger">{fieldState.error.message}</p>}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onSelect: () => void;
}

function Choice({ label, checked, onSelect }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        type="radio"
        id={id}
        checked={checked}
        onChange={onSelect}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}

/** The event types of an endpoint in one line. */
export function formatEventTypes(eventTypes: readonly EnumName<EventType>[] | null): string {
  return eventTypes
    ? eventTypes.map((name) => enumValueIn(EVENT_TYPES, name)).join(', ')
    : 'Resources and integrations';
}
