import { createServer } from 'node:http';
import { listen } from '@tollgate/common/http-server';
import { Stripe } from 'stripe';

/** A receiver of events. */
export interface Receiver {
  url: string;
  /** The events whose signature was right, in the order of their arrival. */
  events: Stripe.Event[];
  /** The next answers: a status each. When there are none, 200. */
  statuses: number[];
  stop: () => Promise<void>;
}

/** Starts a receiver that checks signatures with the official library. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const events: Stripe.Event[] = [];
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const status = statuses.shift() ?? 200;
    if (status === 200) {
      const signature = request.headers['stripe-signature'] ?? '';
      events.push(Stripe.webhooks.constructEvent(Buffer.concat(parts), signature, secret));
    }
    response.writeHead(status).end();
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    events,
    statuses,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
