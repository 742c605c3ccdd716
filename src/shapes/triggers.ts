import { LIMITS } from '../contract/limits.ts';
import { contentParts } from './content.ts';
import { input, needed, required, said } from './field.ts';
import { deploymentId, publishedDeploymentId } from './ids.ts';
import { id, integer, text } from './kinds.ts';
import { triggerVariables, variables } from './variables.ts';

const content = needed(contentParts('The first message of the user'));

export const CREATE_TRIGGER = input('CreateTriggerInput', 'A new trigger.', {
  deploymentId: publishedDeploymentId,
  content: said({ bounds: { type: 'array', ...content.bounds } }, content),
  variables: variables(),
  variablesByName: triggerVariables,
  uiSurface: text({
    says: 'A hint for the client about where to show it',
    least: 1,
    most: LIMITS.uiSurfaceLength,
    canBeBlank: true,
  }),
  ttlHours: integer({
    says: 'Hours until it expires',
    most: LIMITS.ttlHours,
    initial: LIMITS.defaultTtlHours,
    without: 'never',
  }),
});

export const DELETE_TRIGGER = input('DeleteTriggerInput', 'The trigger to delete.', {
  deploymentId: said({ says: 'The deployment of the trigger' }, deploymentId),
  triggerId: required(id('Trigger', 'The ID of the trigger', 'String')),
});
