import { LIMITS } from '../contract/limits.ts';
import { EVENT_TYPES } from '../contract/statuses.ts';
import { address } from './address.ts';
import { input, required } from './field.ts';
import { choices, id, text } from './kinds.ts';

const description = text({ says: 'A free text, {bounds}', most: LIMITS.webhookDescriptionLength, canBeBlank: true });

/** The domain has the rule of the types: the message of a wrong one is the same in filters. */
const eventTypes = (says: string, note: string) => choices({ says, note }, EVENT_TYPES);

export const CREATE_WEBHOOK_ENDPOINT = input('CreateWebhookEndpointInput', 'A new endpoint.', {
  url: required(address()),
  description,
  eventTypes: eventTypes(
    'Event types to send',
    'Omit it for all types of resources and integrations. Lifecycle events must be named, and need the scope conversations:read.',
  ),
});

export const UPDATE_WEBHOOK_ENDPOINT = input(
  'UpdateWebhookEndpointInput',
  'Changes to an endpoint. Omitted fields keep their value.',
  {
    id: required(id('WebhookEndpoint', 'The ID: whk_ and 26 characters', 'ID')),
    url: address('A public https URL', 'Queued messages go there too.'),
    description,
    eventTypes: eventTypes('Event types to send from now on', 'Null: all types of resources and integrations.'),
  },
);
