import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Starts listening; rejects when the port is taken. */
export function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
}

/** Takes no more connections and waits for requests under way, their answers' streams included; then cuts what is left. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  await Promise.race([closed, delay(graceMs, undefined, { ref: false })]);
  server.closeAllConnections();
}
