/**
 * How providers say that a prompt is longer than the context of the model. Few of them have a code for it. Each pattern
 * has a case in the corpus of dialects.
 */
const OVERFLOW_PATTERNS: readonly RegExp[] = [
  /context_length_exceeded|exceed_context_size|context_window_exceeded/i,
  /maximum context length|maximum prompt length|maximum allowed input length/i,
  /exceeds? (?:the |this )?(?:model'?s? |available |effective )*(?:context|maximum (?:number of )?(?:input )?tokens|token limit)/i,
  /context window (?:exceeds|is full)|greater than the context length|context the overflows/i,
  /(?:prompt|input|request) is too long|prompt exceeds max length|length of all messages is too long/i,
  /input token count.{0,40}exceeds the maximum/i,
  /exceeded model token limit|reduce the length of the messages/i,
  /range of input length should be|too large for model with \d+ maximum context/i,
];

/** Whether a provider's error says that the prompt is too long. */
export function isContextOverflow(status: number | undefined, body: string | undefined): boolean {
  if (status === undefined || ![400, 413, 422, 500].includes(status) || !body) return false;
  return OVERFLOW_PATTERNS.some((pattern) => pattern.test(body));
}
