/** A plain message to one address. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends messages. Implemented in `src/mail`. */
export interface MailPort {
  /**
   * Two attempts with the same `id` have the same Message-ID, so a mailbox can recognize the second one.
   * @throws {Error} if the server does not accept the message in time. The error may contain the address.
   */
  send(id: string, message: MailMessage): Promise<void>;
  close(): void;
}
