import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { threadId } from 'node:worker_threads';

/**
 * Searches below the range that systems use for outgoing connections (32768 and up on Linux), so that a free port stays
 * free until a process listens on it.
 */
const LOWEST = 20_000;
const TRIES = 200;

/**
 * Each process searches its own range and continues where it stopped, so that two processes do not find the same port.
 */
const STRETCHES = 40;
const STRETCH_PORTS = 300;
const stretch = LOWEST + ((process.pid + threadId) % STRETCHES) * STRETCH_PORTS;
let next = randomInt(STRETCH_PORTS);

/** Whether a port of this host is free. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Finds consecutive free loopback ports.
 *
 * @throws Error if a limited number of attempts finds none, or if the count exceeds a range
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
  throw new Error(`no ${count} consecutive free ports were found on ${host}`);
}

/** Finds one free loopback port. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const [port] = await findFreePorts(1, host);
  if (port === undefined) throw new Error('no free port was found');
  return port;
}
