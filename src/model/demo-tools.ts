/** What `/ask` asks: one question of each kind of input. */
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

/** What `/upload` asks for when the script does not say. */
export const DEMO_UPLOAD_PROMPT = 'Please upload a document.';
