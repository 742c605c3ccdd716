import {
  AUTHOR_KINDS,
  HANDLING_CAUSES,
  HANDLING_EXPIRIES,
  HANDLING_MODES,
  PRESENCE_KINDS,
  TAKE_OVER_POLICIES,
  URGENCIES,
} from '../../contract/statuses.ts';
import { enumType } from './enum-type.ts';

export const HandlingModeEnum = enumType('HandlingMode', HANDLING_MODES, {
  description: 'Who answers the user of a conversation.',
  values: {
    assistant: 'The assistant answers, as in every new conversation.',
    waiting: 'Nobody yet: the conversation waits for a person. Messages are stored and start no turn.',
    member: 'A person, who took the conversation over. Messages are stored and start no turn.',
  },
});

export const HandlingExpiryEnum = enumType('HandlingExpiry', HANDLING_EXPIRIES, {
  description: 'What happens to a conversation that no person took over in time.',
  values: {
    return: 'The assistant answers the messages that came meanwhile.',
    keep: 'It keeps waiting.',
  },
});

export const HandlingCauseEnum = enumType('HandlingCause', HANDLING_CAUSES, {
  description: 'Why it changed who answers the user.',
  values: {
    assistant: 'The assistant asked for a person, with `hand_over`.',
    failures: 'Turns failed in a row.',
    rating: 'The user rated a reply DOWN.',
    person: 'A person took the conversation over, or handed it back.',
    lease_expired: 'The person left without handing the conversation back.',
    wait_expired: 'Nobody took the conversation over in time.',
  },
});

export const UrgencyEnum = enumType('Urgency', URGENCIES, {
  description: 'How soon a person is needed.',
  values: { low: 'Whenever somebody has time.', normal: 'Soon.', high: 'Now.' },
});

enumType('TakeOverPolicy', TAKE_OVER_POLICIES, {
  description: 'What happens to a running turn when a person takes the conversation over.',
  values: {
    stop: 'It stops, and its text is kept.',
    wait: 'It continues. The person can write when it has ended.',
  },
});

export const AuthorKindEnum = enumType('AuthorKind', AUTHOR_KINDS, {
  description: 'Who wrote a message for the assistant.',
  values: {
    member: 'A member of the workspace.',
    api_key: 'A person of a connected system, with an API key.',
  },
});

export const PresenceKindEnum = enumType('PresenceKind', PRESENCE_KINDS, {
  description: 'Who is in a conversation.',
  values: {
    member: 'A member of the workspace.',
    api_key: 'A person of a connected system, with an API key.',
    user: 'The user of the conversation.',
  },
});
