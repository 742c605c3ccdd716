/** The limits of conversations that people handle. A part of `LIMITS`: read them from there. */
export const HANDLING_LIMITS = {
  /** Minutes that a conversation waits for a person: the longest that can be set (a week). */
  handOverWaitMinutes: 10_080,
  /** Minutes that a conversation waits for a person by default. */
  defaultHandOverWaitMinutes: 30,
  /** Failed turns in a row after which a conversation can wait for a person. */
  handOverFailures: 10,
  /** Characters of the reason of a hand-over. */
  handOverReasonLength: 500,
  /** Minutes that a person keeps a conversation without a message: the longest that can be set (a day). */
  holdMinutes: 1_440,
  /** Minutes that a person keeps a conversation by default. */
  defaultHoldMinutes: 5,
  /** Characters of the name of a person that the user of a conversation reads. */
  displayNameLength: 100,
  /** Characters of the summary, and of the instructions, that a person hands a conversation back with. */
  handBackTextLength: 4_000,
  /** Characters of a note about a conversation. */
  noteLength: 4_000,
  /** Notes of a conversation. */
  conversationNotes: 200,
  /** Members that the list of those to whom conversations can be assigned has, by name. */
  assignableMembers: 500,
  /** People who are shown as having a conversation open. Further ones are not stored. */
  presentPeople: 50,
  /** Seconds for which a report that a person has a conversation open counts. */
  presenceSeconds: 45,
  /** Seconds for which a report that somebody types counts. */
  typingSeconds: 6,
  /** Tokens of a suggested reply, with the reasoning. */
  suggestedReplyTokens: 4_000,
  /** Characters of a suggested reply. Longer ones are cut. */
  suggestedReplyLength: 8_000,
  /** Seconds within which the model must suggest a reply, if the workflow does not set a shorter time. */
  suggestedReplySeconds: 60,
} as const;
