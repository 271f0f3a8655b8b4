import { Agent, type IncomingMessage, request } from 'node:http';
import type { WireRequest } from '../gateway/http.ts';

/** A pause of this length is a hang. */
const SILENCE_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: 256, scheduling: 'fifo' });

/** When the client disconnects: after a time, or after a number of bytes of the body. */
export interface Leave {
  afterMs: number;
  afterBytes: number;
}

/** The result of a call, possibly incomplete. */
export interface RawResult {
  /** False if nothing listened. */
  reached: boolean;
  status: number | undefined;
  requestId: string | undefined;
  raw: string;
  /** The response ended properly for HTTP. */
  clean: boolean;
  /** The client disconnected. */
  disconnected: boolean;
  hung: boolean;
}

/** Sends a request and reads its response as far as it arrives; never rejects. */
export function callRaw(baseUrl: string, wire: WireRequest, leave: Leave | undefined): Promise<RawResult> {
  const { hostname, port } = new URL(baseUrl);
  const result: RawResult = {
    reached: true,
    status: undefined,
    requestId: undefined,
    raw: '',
    clean: false,
    disconnected: false,
    hung: false,
  };
  return new Promise((resolve) => {
    const headers = { ...wire.headers, 'content-length': Buffer.byteLength(wire.body ?? '') };
    const outgoing = request({ hostname, port, path: wire.path, method: 'POST', headers, agent, timeout: SILENCE_MS });
    let timer: NodeJS.Timeout | undefined;
    const done = () => {
      clearTimeout(timer);
      resolve(result);
    };
    const hangUp = () => {
      result.disconnected = true;
      outgoing.destroy();
      done();
    };
    if (leave !== undefined) timer = setTimeout(hangUp, leave.afterMs);
    outgoing.on('timeout', () => {
      result.hung = true;
      outgoing.destroy();
      done();
    });
    outgoing.on('error', (error) => {
      if ('code' in error && error.code === 'ECONNREFUSED') result.reached = false;
      done();
    });
    outgoing.on('response', (message: IncomingMessage) => {
      result.status = message.statusCode;
      result.requestId = requestIdOf(message);
      message.setEncoding('utf8');
      message.on('data', (text: string) => {
        result.raw += text;
        if (leave !== undefined && result.raw.length >= leave.afterBytes) hangUp();
      });
      message.on('end', () => {
        result.clean = message.complete;
      });
      message.on('error', done);
      message.on('close', done);
    });
    outgoing.end(wire.body);
  });
}

function requestIdOf(message: IncomingMessage): string | undefined {
  const id = message.headers['x-request-id'];
  return typeof id === 'string' ? id : undefined;
}
