import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen, stopListening } from './http-server.ts';

let server: Server;
let agent: Agent;
/** Answers that wait, each sent by calling it. */
let open: (() => void)[];

beforeEach(async () => {
  open = [];
  agent = new Agent({ keepAlive: true });
  server = createServer((req, res) => {
    if (req.url === '/slow') open.push(() => res.end('done'));
    else res.end('done');
  });
  await listen(server, '127.0.0.1', 0);
});
afterEach(() => {
  agent.destroy();
  server.closeAllConnections();
  server.close();
});

/** The response's connection header, or the error's code. */
function call(path: string, from = agent): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve) => {
    const outgoing = request({ port, path, host: '127.0.0.1', agent: from }, (response) => {
      response.resume();
      response.on('end', () => resolve(`${response.headers.connection}`));
      response.on('error', (error) => resolve(`broken: ${error.message}`));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`));
    outgoing.end();
  });
}

describe('stopListening', () => {
  it('serves old and new connections while it lingers, and has each closed with its response', async () => {
    expect(await call('/')).toBe('keep-alive');
    const stopped = stopListening(server, { lingerMs: 2_000, graceMs: 1_000 });
    expect(await call('/')).toBe('close');
    const another = new Agent();
    expect(await call('/', another)).toBe('close');
    await stopped;
    expect(server.listening).toBe(false);
  });

  it('is not held up by a connection whose response began before and has ended', async () => {
    const slow = call('/slow');
    await expect.poll(() => open.length).toBe(1);
    const stopped = stopListening(server, { lingerMs: 0, graceMs: 20_000 });
    await expect.poll(() => server.listening).toBe(false);
    open[0]?.();
    expect(await slow).toBe('keep-alive');
    await stopped;
  });

  it('waits for open responses once it takes no more connections, and cuts those that last too long', async () => {
    const quick = call('/slow');
    const endless = call('/slow', new Agent());
    await expect.poll(() => open.length).toBe(2);
    const stopped = stopListening(server, { lingerMs: 0, graceMs: 300 });
    await expect.poll(() => server.listening).toBe(false);
    open[0]?.();
    expect(await quick).toBe('keep-alive');
    await stopped;
    expect(await endless).toBe('ECONNRESET');
  });
});
