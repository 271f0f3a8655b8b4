import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { threadId } from 'node:worker_threads';

/**
 * Free ports are looked for below the range from which systems take ports for outgoing connections (32768 and up on
 * Linux), so that none is taken between being found and being listened on.
 */
const LOWEST = 20_000;
const TRIES = 200;

/**
 * Each process looks in a stretch of its own, and continues from where it last looked, so that two that start services at
 * the same time do not both find the same port free.
 */
const STRETCHES = 40;
const STRETCH_PORTS = 300;
const stretch = LOWEST + ((process.pid + threadId) % STRETCHES) * STRETCH_PORTS;
let next = randomInt(STRETCH_PORTS);

/** Whether nothing listens on a port of this host. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Finds as many free loopback ports as asked, which follow one another.
 *
 * @throws Error when a bounded number of tries found none, or more are asked than a stretch has
 */
export async function findFreePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (next + count > STRETCH_PORTS) next = 0;
    const first = stretch + next;
    next += count;
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(ports.map((port) => isPortFree(port, host)));
    if (free.every(Boolean)) return ports;
  }
  throw new Error(`no ${count} free ports that follow one another were found on ${host}`);
}

/** Finds one free loopback port. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const [port] = await findFreePorts(1, host);
  if (port === undefined) throw new Error('no free port was found');
  return port;
}
