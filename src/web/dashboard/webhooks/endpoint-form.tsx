import { useId } from 'react';
import { EVENT_TYPES } from '../../../contract/events.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { type Fault, faultAt } from '../fault.ts';

/** An endpoint as it is filled in. */
export interface EndpointDraft {
  readonly url: string;
  readonly description: string;
  /** Null: of every type. */
  readonly eventTypes: readonly string[] | null;
}

export const EMPTY_ENDPOINT: EndpointDraft = { url: '', description: '', eventTypes: null };

/** What the fields show faults of. */
export const ENDPOINT_FIELDS = ['url', 'description', 'eventTypes'] as const;

/** Whether it can be sent: somebody who wants only some types has said which. */
export const isWhole = ({ eventTypes }: EndpointDraft) => eventTypes === null || eventTypes.length > 0;

export function inputOf({ url, description, eventTypes }: EndpointDraft) {
  return { url: url.trim(), description, eventTypes: eventTypes && [...eventTypes] };
}

interface Props {
  readonly draft: EndpointDraft;
  readonly fault: Fault | undefined;
  readonly onChange: (draft: EndpointDraft) => void;
}

export function EndpointFields({ draft, fault, onChange }: Props) {
  return (
    <>
      <TextField
        label="URL"
        hint="An https address of the public internet. Messages are posted to it, signed."
        inputMode="url"
        autoComplete="off"
        placeholder="https://"
        required
        value={draft.url}
        error={faultAt(fault, 'url')}
        onChange={({ target }) => onChange({ ...draft, url: target.value })}
      />
      <EventTypes {...{ draft, fault, onChange }} />
      <TextArea
        label="Description"
        hint="For people. May be left empty."
        rows={2}
        maxLength={LIMITS.webhookDescriptionLength}
        value={draft.description}
        error={faultAt(fault, 'description')}
        onChange={({ target }) => onChange({ ...draft, description: target.value })}
      />
    </>
  );
}

function EventTypes({ draft, fault, onChange }: Props) {
  const { eventTypes } = draft;
  // Types that this page does not know are kept: another version of the service may have made the endpoint.
  const all = [...new Set<string>([...EVENT_TYPES, ...(eventTypes ?? [])])];
  const choose = (types: readonly string[] | null) => onChange({ ...draft, eventTypes: types });
  const error = faultAt(fault, 'eventTypes');
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Events</legend>
      <Choice
        label="All, those that come to be in future versions too"
        chosen={!eventTypes}
        onChoose={() => choose(null)}
      />
      <Choice label="Only these" chosen={eventTypes !== null} onChoose={() => choose(eventTypes ?? [])} />
      {eventTypes && (
        <div className="ml-6 flex flex-col gap-1.5">
          {all.map((type) => (
            <Checkbox
              key={type}
              label={<span className="font-mono text-sm">{type}</span>}
              checked={eventTypes.includes(type)}
              onChange={({ target }) =>
                choose(all.filter((one) => (one === type ? target.checked : eventTypes.includes(one))))
              }
            />
          ))}
          {eventTypes.length === 0 && <p className="text-sm text-muted">Choose one at least.</p>}
        </div>
      )}
      {error && <p className="text-sm text-danger">{error}</p>}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ label, chosen, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input type="radio" id={id} checked={chosen} onChange={onChoose} className="mt-1 size-4 shrink-0 accent-accent" />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}

/** Which events an endpoint gets, in words. */
export function typesInWords(eventTypes: readonly string[] | null): string {
  return eventTypes ? eventTypes.join(', ') : 'All';
}
