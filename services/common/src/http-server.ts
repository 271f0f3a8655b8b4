import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Starts listening; resolves to the port that was bound, which the system chooses for 0, and rejects when it is taken. */
export function listen(server: Server, host: string, port: number): Promise<number> {
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

/** How often a stopping server looks for connections whose response has ended. */
const IDLE_SWEEP_MS = 250;

/** How long stopping may take, milliseconds. */
export interface StopTimes {
  /** New connections and requests are still taken, and each response closes its connection. */
  lingerMs: number;
  /** Then open requests may end, with the streams of their responses. */
  graceMs: number;
}

/**
 * Keeps serving while load balancers notice that this process stops, and closes each connection with its next response: a
 * client that gets `connection: close` loses no request, as it may where an idle connection is closed. Then takes no
 * more connections, waits for open requests, and cuts what is left.
 */
export async function stopListening(server: Server, { lingerMs, graceMs }: StopTimes): Promise<void> {
  server.prependListener('request', (_req, res) => res.setHeader('connection', 'close'));
  await delay(lingerMs, undefined, { ref: false });
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  // A response that started before has promised to keep its connection.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
  clearInterval(sweep);
  server.closeAllConnections();
}
