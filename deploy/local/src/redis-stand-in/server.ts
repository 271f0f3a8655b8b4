import { createServer, type Socket } from 'node:net';
import { CommandParser, RespError } from './command-parser.ts';
import { encodeReply, Status } from './encode-reply.ts';
import { Engine } from './engine.ts';

/** Commands that may queue on one connection before it stops reading. */
const MAX_WAITING = 1_000;

export interface StandIn {
  port: number;
  stop: () => Promise<void>;
}

/**
 * Starts a stand-in for Redis, for a machine without one: the commands and Lua that Tollgate needs, over the Redis
 * protocol. All data is in memory of this process.
 *
 * @param password that connections must present; undefined for none
 */
export function startStandIn(host: string, port: number, password?: string): Promise<StandIn> {
  const engine = new Engine();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, engine, password);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve({ port: bound, stop });
    });
  });
}

/** Runs the commands of a connection in order. */
function serve(socket: Socket, engine: Engine, password: string | undefined): void {
  let mayEnter = password === undefined;
  const parser = new CommandParser();
  const waiting: Buffer[][] = [];
  let busy = false;
  const work = async () => {
    if (busy) return;
    busy = true;
    for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) {
      if (!mayEnter && presents(command, password)) mayEnter = true;
      const reply = mayEnter || isOpen(command) ? await response(engine, command) : NO_AUTH;
      if (!socket.writable) break;
      socket.write(encodeReply(reply));
      if (isQuit(command)) socket.end();
      if (waiting.length === 0) socket.resume();
    }
    busy = false;
  };
  socket.on('data', (chunk: Buffer) => {
    try {
      waiting.push(...parser.push(chunk));
    } catch (error) {
      if (!(error instanceof RespError)) throw error;
      socket.end(encodeReply(error));
      return;
    }
    if (waiting.length > MAX_WAITING) socket.pause();
    void work();
  });
  // Disconnected clients are not an error.
  socket.on('error', () => socket.destroy());
}

async function response(engine: Engine, command: Buffer[]): Promise<unknown> {
  if (isQuit(command)) return new Status('OK');
  const [name, ...args] = command;
  try {
    return await engine.run(String(name).toLowerCase(), args);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const NO_AUTH = new Error('NOAUTH Authentication required.');

function presents(command: Buffer[], password: string | undefined): boolean {
  return String(command[0]).toLowerCase() === 'auth' && command.length === 2 && String(command[1]) === password;
}

/**
 * Whether a command needs no password. HELLO is unknown, but only the NOAUTH error makes clients continue with AUTH.
 */
function isOpen(command: Buffer[]): boolean {
  return isQuit(command) || String(command[0]).toLowerCase() === 'hello';
}

function isQuit(command: Buffer[]): boolean {
  return String(command[0]).toLowerCase() === 'quit';
}
