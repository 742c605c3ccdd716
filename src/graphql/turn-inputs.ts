import { builder, type InputFields } from './builder.ts';
import { ContentPartInput } from './content.ts';

const ToolResultInput = builder.inputType('ToolResultInput', {
  description: 'What the client made of a pending call.',
  fields: (t) => ({
    callId: t.string({ required: true, description: 'The call, as the pending action names it.' }),
    output: t.field({ type: 'JSON', description: 'An object; its form depends on the tool. Required, at most 1 MiB.' }),
  }),
});

const FIRST_ONLY = 'With the first message only: an error where the conversation is continued.';

const LINKED = 'With conversationId, it must be the trigger that started that conversation.';

const turnFields = (t: InputFields) => ({
  content: t.field({
    type: [ContentPartInput],
    description: 'What the user says: 1 to 64 parts. Required unless triggerId starts it.',
  }),
  conversationId: t.field({ type: 'UUID', description: 'The conversation to continue; leave it out to start one.' }),
  variables: t.field({ type: 'JSONObject', description: `Strings by name, for the instructions. ${FIRST_ONLY}` }),
  meta: t.field({
    type: 'JSONObject',
    description: `Searchable labels: strings, numbers or booleans by name. ${FIRST_ONLY}`,
  }),
  historyLimit: t.int({
    description:
      'Earlier message pairs that the model is given, 0 to 100; by default what the workflow says, and 5 where it says nothing.',
  }),
  triggerId: t.string({
    description: `Starts from this trigger: what it stores stands in for what is left out here. ${LINKED}`,
  }),
});

export const OneShotInput = builder.inputType('OneShotInput', {
  description: 'A message outside of any conversation.',
  fields: (t) => ({
    content: t.field({
      type: [ContentPartInput],
      description: 'What the user says: 1 to 64 parts. Required without triggerId.',
    }),
    variables: t.field({ type: 'JSONObject', description: 'Strings by name, for the instructions.' }),
    triggerId: t.string({ description: 'What this trigger stores stands in for what is left out here.' }),
  }),
});

export const MessageInput = builder.inputType('MessageInput', {
  description: 'An ordinary chat message.',
  fields: turnFields,
});

const CAPABILITIES =
  'Client tools that are connected: names, or objects with a name and an input_schema. Leave it out when there are none.';

export const AgentTurnInput = builder.inputType('AgentTurnInput', {
  description: 'What starts, continues or resumes an agent conversation.',
  fields: (t) => ({
    ...turnFields(t),
    clientCapabilities: t.field({ type: ['ClientCapability'], description: CAPABILITIES }),
    toolResults: t.field({
      type: [ToolResultInput],
      description: 'Makes this a resume: one result for every pending call. Goes with conversationId, without content.',
    }),
  }),
});

export const ResumeInput = builder.inputType('ResumeInput', {
  description: 'The results of the pending calls of a conversation.',
  fields: (t) => ({
    conversationId: t.field({ type: 'UUID', required: true, description: 'The conversation that waits.' }),
    toolResults: t.field({ type: [ToolResultInput], required: true, description: 'One for every pending call.' }),
    historyLimit: t.int({ description: "Earlier message pairs that the model is given; the run's own by default." }),
    clientCapabilities: t.field({
      type: ['ClientCapability'],
      description: 'Client tools that are connected from now on; those of the run by default.',
    }),
  }),
});
