import type { VariablesOf } from 'gql.tada';
import type { CREATE_WORKFLOW } from './documents.ts';

type Draft = NonNullable<VariablesOf<typeof CREATE_WORKFLOW>['input']['draft']>;

/** A complete draft to start from. */
export interface WorkflowTemplate {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly draft: Draft;
}

const QUESTIONS = { name: 'ask_user', availability: 'WHEN_CONNECTED' } as const;
const FILES = { name: 'upload_document', availability: 'WHEN_CONNECTED' } as const;

/** The templates of a new workflow. The first one is empty. */
export const TEMPLATES: readonly [WorkflowTemplate, ...WorkflowTemplate[]] = [
  { id: 'blank', title: 'Blank', description: 'An empty draft.', draft: { context: 'COMPACT' } },
  {
    id: 'faq',
    title: 'FAQ assistant',
    description: 'Answers questions from a list of facts.',
    draft: {
      instructions: `You answer questions of customers about our company.

Use only the facts below. If they do not contain the answer, say so and offer to pass the question on to a colleague. Never invent prices, dates or promises. Answer in the language of the customer, in at most five sentences.

Facts:
- Opening hours: Monday to Friday, 9:00 to 17:00.
- Returns: within 30 days, unused, with the receipt.
- Contact: support@example.com`,
      titleModel: true,
      context: 'COMPACT',
    },
  },
  {
    id: 'intake',
    title: 'Intake form',
    description: 'Asks the user questions step by step, then confirms the answers.',
    draft: {
      instructions: `You take the request of a new customer.

1. Ask for the name, the email address and the subject with one ask_user call. Offer choices for the subject: order, invoice, technical problem, something else.
2. Ask the questions that the subject needs, with further ask_user calls. Ask at most three questions at a time. Ask nothing that the user has already answered.
3. Repeat the answers as a short list, and ask whether they are correct.
4. Complete the conversation when the user confirms.`,
      clientTools: [QUESTIONS],
      allowConversationCompletion: true,
      titleModel: true,
      context: 'COMPACT',
    },
  },
  {
    id: 'documents',
    title: 'Document collection',
    description: 'Asks for files, and checks that no file is missing.',
    draft: {
      instructions: `You collect the documents of an application: an identity document, a proof of address and the last three payslips.

Ask for one kind of document at a time with upload_document. Accept PDF files and pictures. If a file is unreadable or of the wrong kind, explain the problem and ask again. Use ask_user to find out why a document is missing. When all documents are there, list them, thank the user and complete the conversation.`,
      clientTools: [FILES, QUESTIONS],
      allowConversationCompletion: true,
      titleModel: true,
      context: 'COMPACT',
    },
  },
  {
    id: 'triage',
    title: 'Support triage',
    description: 'Replies with JSON: the category, the urgency and a summary of a message.',
    draft: {
      instructions: `You sort the messages of customers for the support team.

Read the message and decide its category and urgency. Urgent means that the customer cannot work, or loses money now. Write the summary in English, in one sentence, without personal data.`,
      outputSchema: {
        type: 'object',
        properties: {
          category: { type: 'string', enum: ['order', 'invoice', 'technical', 'account', 'other'] },
          urgency: { type: 'string', enum: ['low', 'normal', 'urgent'] },
          summary: { type: 'string' },
          needs_human: { type: 'boolean' },
        },
        required: ['category', 'urgency', 'summary', 'needs_human'],
        additionalProperties: false,
      },
      allowConversationCompletion: true,
      context: 'COMPACT',
    },
  },
];
