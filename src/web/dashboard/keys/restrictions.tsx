import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import * as z from 'zod/mini';
import { API_KEY_SETTINGS } from '../../../shapes/api-keys.ts';
import { DeploymentChoice } from '../deployment-names/deployment-choice.tsx';
import { FormTextArea, FormTextField } from '../forms/fields.tsx';
import { atMost, converted } from '../forms/rules.ts';
import type { ApiKey } from './documents.ts';

const isTime = (text: string) => text === '' || !Number.isNaN(Date.parse(text));

/** The settings that restrict when, from where and for what a key works. An empty field removes the restriction. */
export const restrictionsSchema = z.object({
  expiresAt: converted(z.string().check(z.refine(isTime, 'Enter a time, or nothing.')), (text) =>
    text === '' ? null : new Date(text).toISOString(),
  ),
  allowedIpRanges: converted(z.string(), linesOf),
  deploymentIds: converted(
    z.array(z.string()).check(atMost(API_KEY_SETTINGS.deploymentIds.most, 'deployments')),
    orNull,
  ),
});

function linesOf(text: string): string[] | null {
  return orNull(text.split(/[\s,]+/).filter((line) => line !== ''));
}

function orNull(items: string[]): string[] | null {
  return items.length === 0 ? null : items;
}

export const NO_RESTRICTIONS = { expiresAt: '', allowedIpRanges: '', deploymentIds: [] as string[] };

export function restrictionsOf({ expiresAt, allowedIpRanges, deploymentIds }: ApiKey): typeof NO_RESTRICTIONS {
  return {
    expiresAt: expiresAt ? localTime(new Date(expiresAt)) : '',
    allowedIpRanges: allowedIpRanges.join('\n'),
    deploymentIds: [...deploymentIds],
  };
}

/** A time in the form of the browser's date and time field, in local time. */
function localTime(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The service names an item of a list. The form has one field for all items. */
export const restrictionField = (path: string): string => path.replace(/^(allowedIpRanges|deploymentIds)\.\d+$/, '$1');

interface Props<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
}

export function RestrictionFields<Values extends FieldValues, Output>({ control }: Props<Values, Output>) {
  const name = (field: keyof typeof NO_RESTRICTIONS) => field as FieldPath<Values>;
  return (
    <>
      <FormTextField
        control={control}
        name={name('expiresAt')}
        label="Expires"
        hint="Leave empty for a key that does not expire."
        type="datetime-local"
      />
      <FormTextArea
        control={control}
        name={name('allowedIpRanges')}
        label="IP ranges"
        hint="One address or CIDR range per line, like 192.0.2.0/24. Leave empty for every address."
        rows={2}
      />
      <DeploymentChoice
        control={control}
        name={name('deploymentIds')}
        hint="Without a selection, the key works in the whole environment. A key of deployments can only have scopes of
        conversations and triggers."
      />
    </>
  );
}
