import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Starts listening. Resolves to the bound port, which the system chooses for 0; rejects when the port is in use. */
export function listen(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`, { cause: error })),
    );
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** How often a stopping server closes connections whose response has ended. */
const IDLE_SWEEP_MS = 250;

/** How long stopping may take, milliseconds. */
export interface StopTimes {
  /** How long new connections and requests are still accepted; each response closes its connection. */
  lingerMs: number;
  /** How long open requests may then take to finish, streams included. */
  graceMs: number;
}

/**
 * Keeps serving while load balancers notice that this process stops, and closes each connection with its next response: a
 * client that gets `connection: close` loses no request, as it may when an idle connection is closed. Then accepts no
 * more connections, waits for open requests, and cuts those that remain. By hand because `server.close` of Node closes
 * idle connections at once.
 */
export async function stopListening(server: Server, { lingerMs, graceMs }: StopTimes): Promise<void> {
  server.prependListener('request', (_req, res) => res.setHeader('connection', 'close'));
  await delay(lingerMs, undefined, { ref: false });
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  // A response that started earlier has not closed its connection.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
  clearInterval(sweep);
  server.closeAllConnections();
}
