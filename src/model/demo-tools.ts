/** The questions of `/ask`: one of each input type. */
export const DEMO_QUESTIONS = [
  { id: 'name', question: 'What is your name?', input_type: 'text' },
  {
    id: 'contact',
    question: 'How may we reach you?',
    input_type: 'single_select',
    options: ['email', 'phone', 'post'],
  },
  {
    id: 'topics',
    question: 'What is it about?',
    input_type: 'multi_select',
    options: ['billing', 'delivery', 'returns', 'other'],
  },
] as const;

/** The default prompt of `/upload`. */
export const DEMO_UPLOAD_PROMPT = 'Please upload a document.';
