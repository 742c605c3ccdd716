import { EXPIRY_MODES } from '../../../contract/statuses.ts';
import type { Deadline } from '../../../domain/workflows/config.ts';
import { builder } from '../builder.ts';
import { enumType } from '../enum-type.ts';
import type { PayloadBuilder } from '../mutation.ts';

const ExpiryModeEnum = enumType('ExpiryMode', EXPIRY_MODES, {
  description: 'What happens to a pending call that nobody answers in time.',
  values: {
    cancel: 'The run is cancelled, as by `cancelRun`, with the error action_expired.',
    deny: 'The call fails, or its approval is refused. The run continues.',
    default: 'The call gets the output `output`. The run continues.',
  },
});

const MODE = { type: ExpiryModeEnum, description: 'What happens.' } as const;

const OUTPUT = 'With the mode DEFAULT: the output of the call.';

export const ExpiryObject = builder.objectRef<NonNullable<Deadline['onExpiry']>>('Expiry').implement({
  description: 'What happens to a pending call that nobody answers in time.',
  fields: (t) => ({
    mode: t.expose('mode', MODE),
    output: t.field({
      type: 'JSONObject',
      nullable: true,
      description: OUTPUT,
      resolve: ({ output }) => output ?? null,
    }),
  }),
});

/** The type of `t` in functions that build fields of several objects. */
export type FieldsOf<Shape> = PayloadBuilder<Shape>;

/** The fields for the deadline of a call, in each type that has them. */
export function deadlineFields<Shape extends Deadline>(t: FieldsOf<Shape>) {
  return {
    expiresAfterSeconds: t.int({
      nullable: true,
      description: 'Seconds after which a pending call expires. Null: never.',
      resolve: ({ expiresAfterSeconds }) => expiresAfterSeconds ?? null,
    }),
    onExpiry: t.field({
      type: ExpiryObject,
      nullable: true,
      description: 'What happens then. Null: the run is cancelled.',
      resolve: ({ onExpiry }) => onExpiry ?? null,
    }),
  };
}
