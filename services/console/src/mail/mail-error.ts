/** An e-mail that the server has not accepted. Its reason has codes only: a server's text quotes addresses. */
export class MailError extends Error {
  readonly reason: string;
  /** The server will never accept this e-mail to this recipient. Others may go. */
  readonly isRejected: boolean;
  /** Sending it again at once is of no use. */
  readonly isPermanent: boolean;

  constructor(cause: unknown) {
    const { code, responseCode, command } = smtpDetails(cause);
    const reason = [code, responseCode].filter((part) => part !== undefined).join(' ') || 'unknown';
    super(`an e-mail was not accepted: ${reason}`);
    this.name = 'MailError';
    this.reason = reason;
    this.isPermanent = responseCode !== undefined && responseCode >= PERMANENT;
    this.isRejected = this.isPermanent && command !== undefined && OF_ONE_MAIL.has(command);
  }
}

/** Codes of SMTP from here on are final: the server will not accept the mail later either. */
const PERMANENT = 500;

/** Commands about the recipient or the content. A refused sign-in or sender concerns all e-mails, and can be repaired. */
const OF_ONE_MAIL: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);

function smtpDetails(error: unknown): {
  code: string | undefined;
  responseCode: number | undefined;
  command: string | undefined;
} {
  const given = new Map(error instanceof Error ? Object.entries(error) : []);
  const [code, responseCode, command] = ['code', 'responseCode', 'command'].map((name) => given.get(name));
  return {
    code: typeof code === 'string' ? code : undefined,
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
    command: typeof command === 'string' ? command : undefined,
  };
}
