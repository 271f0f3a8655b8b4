import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { listen } from '@tollgate/common/http-server';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP server that takes webhooks. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Responds to a webhook; may be replaced at any time. */
  respond: (res: ServerResponse, received: ReceivedWebhook) => void = (res) => res.writeHead(204).end();
  readonly #server: Server;
  #port = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param port 0: any */
  static async start(port = 0, host = '127.0.0.1'): Promise<WebhookReceiver> {
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const webhook = { headers: req.headers, body: Buffer.concat(chunks).toString('utf8') };
        receiver.received.push(webhook);
        receiver.respond(res, webhook);
      });
    });
    const receiver = new WebhookReceiver(server);
    receiver.#port = await listen(server, host, port);
    return receiver;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Whether a webhook is signed with the secret by Standard Webhooks, computed independently of the library. */
export function isSigned({ headers, body }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const mac = createHmac('sha256', key);
  mac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`);
  mac.update(body);
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(`v1,${mac.digest('base64')}`);
}
