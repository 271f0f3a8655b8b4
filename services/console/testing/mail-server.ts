import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { findFreePort } from '@tollgate/local';
import { SMTPServer } from 'smtp-server';

/** An e-mail as it arrived. */
export interface ReceivedMail {
  to: string;
  subject: string;
  messageId: string;
  /** Headers and bodies, without the line breaks of quoted-printable. */
  source: string;
}

/** A mail server inside the test's process, which refuses what the test makes it refuse. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** Recipients in the order in which they were offered, refused ones included. */
  readonly offered: string[] = [];
  /** SMTP codes by recipient. */
  readonly refusedRecipients = new Map<string, number>();
  /** The SMTP code for every sender. */
  refusedSender: number | undefined;
  readonly #port: number;
  #server: SMTPServer | undefined;

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(): Promise<MailServer> {
    const server = new MailServer(await findFreePort());
    await server.resume();
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Listens again at the same port. */
  async resume(): Promise<void> {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onMailFrom: (_address, _session, done) => done(refusal(this.refusedSender)),
      onRcptTo: ({ address }, _session, done) => {
        this.offered.push(address);
        done(refusal(this.refusedRecipients.get(address)));
      },
      onData: (stream, { envelope }, done) => {
        buffer(stream).then(
          (bytes) => {
            const source = bytes.toString('utf8').replace(/=\r\n/g, '').replaceAll('=3D', '=');
            const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(source)?.[1]?.trim() ?? '';
            const to = envelope.rcptTo.map(({ address }) => address).join();
            this.mails.push({ to, subject: header('subject'), messageId: header('message-id'), source });
            done();
          },
          (error: Error) => done(error),
        );
      },
    });
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening');
  }

  /** Ends all connections and refuses new ones. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    for (const connection of server.connections) connection.close();
    await new Promise<void>((resolve) => server.close(resolve));
  }

  to(address: string): ReceivedMail[] {
    return this.mails.filter((mail) => mail.to === address);
  }
}

function refusal(code: number | undefined): Error | null {
  return code === undefined ? null : Object.assign(new Error('refused'), { responseCode: code });
}
