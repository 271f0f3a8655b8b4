import { execFile } from 'node:child_process';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Starts a command in network and process namespaces of its own: nothing is reachable but its own loopback interface,
 * and no process outlives it.
 */
const NAMESPACES = ['--map-root-user', '--net', '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
const INSIDE = join(import.meta.dirname, 'inside.ts');

/** How a command is kept from reaching anything but the gateway. */
export interface LoopbackOnly {
  /** `namespace`: by the kernel. `proxy`: by proxy settings that lead to a proxy which refuses everything. */
  kind: 'namespace' | 'proxy';
  /** The command to run instead. */
  wrap: (command: string, args: readonly string[]) => { command: string; args: string[] };
  /** Settings for the environment of the command. */
  env: Record<string, string>;
  stop: () => Promise<void>;
}

/**
 * Lets commands reach the gateway on its own address, and nothing else.
 *
 * @param folder for the socket to the gateway
 */
export async function startLoopbackOnly(gatewayUrl: string, folder: string): Promise<LoopbackOnly> {
  const proxy = await startRefusingProxy();
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const env = {
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    ALL_PROXY: proxyUrl,
    http_proxy: proxyUrl,
    https_proxy: proxyUrl,
    all_proxy: proxyUrl,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
  if (!(await namespacesWork())) {
    const wrap = (command: string, args: readonly string[]) => ({ command, args: [...args] });
    return { kind: 'proxy', wrap, env, stop: () => closed(proxy) };
  }
  const socket = join(folder, 'gateway.sock');
  const { hostname, port } = new URL(gatewayUrl);
  const relay = await startRelay(socket, hostname, Number(port));
  return {
    kind: 'namespace',
    wrap: (command, args) => ({
      command: 'unshare',
      args: [...NAMESPACES, process.execPath, INSIDE, socket, port, command, ...args],
    }),
    env,
    stop: async () => {
      await Promise.all([closed(proxy), closed(relay)]);
    },
  };
}

async function namespacesWork(): Promise<boolean> {
  try {
    await run('unshare', [...NAMESPACES, 'ip', 'link', 'set', 'lo', 'up'], { timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

function startRefusingProxy(): Promise<HttpServer> {
  const server = createHttpServer((_, response) => response.writeHead(403).end('Only the gateway is reachable.'));
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Accepts connections on a socket file, which namespaces share, and forwards them to the gateway. */
function startRelay(path: string, host: string, port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host, port, allowHalfOpen: true });
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
