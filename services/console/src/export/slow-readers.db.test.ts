import { connect, type Socket } from 'node:net';
import { listen, stopListening } from '@tollgate/common/http-server';
import { createLogger } from '@tollgate/common/logging';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RunningConsole, type SignedIn } from '../../testing/running-console.ts';
import { createServer } from '../server.ts';
import { EXPORT_LIMITS } from './export-limits.ts';
import { ExportSender } from './send-export.ts';

/** More text than the sockets of both sides take: see `Reader`. */
const CHARGES = 1_000;
const TAGS = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`tag ${index}`, 'x'.repeat(500)]));
const LIMITS = { ...EXPORT_LIMITS, maxOpen: 4, maxOpenOfAccount: 2, maxOpenOfPerson: 1 };

let running: RunningConsole;
let accountId: string;
let logged: { err?: { message: string }; msg: string }[];
const logger = createLogger('test', 'warn', { destination: { write: (line) => void logged.push(JSON.parse(line)) } });
const stops: (() => Promise<void>)[] = [];
const readers: Reader[] = [];

beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  await running.fund(accountId, BigInt(CHARGES));
  await running.charge(accountId, ...Array.from({ length: CHARGES }, () => ({ costNanos: 1n, tags: TAGS })));
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.leave();
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => running.stop());

/** Serves a console with limits of exports. */
async function serve(limits: typeof EXPORT_LIMITS): Promise<number> {
  logged = [];
  const server = createServer({ ...running.console.dependencies, exports: new ExportSender(logger, limits) });
  const port = await listen(server, '127.0.0.1', 0);
  stops.push(() => stopListening(server, { lingerMs: 0, graceMs: 0 }));
  return port;
}

/** A client that reads no more than its socket's first buffer until it is told to. */
class Reader {
  text = '';
  /** How the connection ended: the code of an error, or `end`. */
  ended: string | undefined;
  readonly #socket: Socket;

  constructor(port: number, head: string) {
    this.#socket = connect({ port, host: '127.0.0.1', onread: { buffer: Buffer.alloc(65_536), callback: this.#read } });
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      this.ended = error.code ?? error.message;
    });
    this.#socket.on('end', () => {
      this.ended ??= 'end';
    });
    this.#socket.write(head);
    readers.push(this);
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.text)?.[1]);
  }

  readOn(): void {
    this.#hurries = true;
    this.#socket.resume();
  }

  leave(): void {
    this.#socket.destroy();
  }

  #hurries = false;
  readonly #read = (bytes: number, buffer: Uint8Array): boolean => {
    this.text += Buffer.from(buffer.subarray(0, bytes)).toString('latin1');
    return this.#hurries;
  };
}

/** The body of a chunked response, whose chunks begin and end anywhere. */
function bodyOf(response: string): string {
  let body = '';
  for (let at = response.indexOf('\r\n\r\n') + 4; ; ) {
    const start = response.indexOf('\r\n', at) + 2;
    const end = start + Number.parseInt(response.slice(at, start), 16);
    if (!(end > start)) return body;
    body += response.slice(start, end);
    at = end + 2;
  }
}

/** Opens an export of the requests of an account, by a browser or a program. */
async function open(port: number, who: Credentials, options: { account?: string; http?: string } = {}) {
  const { account = accountId, http = '1.1' } = options;
  const query = new URLSearchParams({ range: '24h', format: 'json' });
  const [prefix, credentials] =
    'cookie' in who ? ['/api', `cookie: ${who.cookie}`] : ['/management/v1', `authorization: Bearer ${who.program}`];
  const path = `${prefix}/accounts/${account}/requests/export?${query}`;
  const reader = new Reader(port, `GET ${path} HTTP/${http}\r\nhost: localhost\r\n${credentials}\r\n\r\n`);
  await expect.poll(() => reader.status).toBeGreaterThan(0);
  return reader;
}
type Credentials = { cookie: string } | { program: string };
const browser = ({ api }: SignedIn): Credentials => ({ cookie: api.cookie });

describe('shares of exports', () => {
  it('leave room for others of the account and for other accounts', async () => {
    const port = await serve(LIMITS);
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => running.signedIn('owner', accountId)));
    if (one === undefined || two === undefined || three === undefined) throw new Error('nobody is signed in');

    const first = await open(port, browser(one));
    expect(first.status).toBe(200);
    const again = await open(port, browser(one), { account: accountId.toUpperCase() });
    expect(again.status).toBe(429);
    expect(again.text).toMatch(/\r\nretry-after: 5\r\n/i);
    expect(again.text).toContain('You have 1 export running, as many as one person or management key may.');

    const other = await open(port, { program: (await running.program('owner', accountId)).managementKey });
    expect(other.status).toBe(200);
    const third = await open(port, browser(three));
    expect(third.status).toBe(429);
    expect(third.text).toContain('The account has 2 exports running, as many as one account may.');

    const elsewhere = await running.createAccount('Elsewhere');
    const stranger = await open(port, browser(await running.signedIn('owner', elsewhere)), { account: elsewhere });
    expect(stranger.status).toBe(200);

    first.leave();
    await expect.poll(async () => (await open(port, browser(two))).status).toBe(200);
  });

  it('refuse before anything is read or recorded', async () => {
    const port = await serve(LIMITS);
    const owner = await running.signedIn('owner', accountId);
    await open(port, browser(owner));
    expect((await open(port, browser(owner))).status).toBe(429);
    const { data } = await owner.api.ok('GET /accounts/{account_id}/audit', {
      path: { account_id: accountId },
      query: { range: '24h', actor_id: owner.personId, action: 'requests.export' },
    });
    expect(data).toHaveLength(1);
  });
});

describe('a reader below the minimum speed', () => {
  it.each(['1.1', '1.0'])(
    'loses the connection of HTTP/%s, not the end of a file, and frees its share',
    async (http) => {
      const port = await serve({ ...LIMITS, minBytes: 16 * 1_048_576, minBytesMs: 300 });
      const owner = await running.signedIn('owner', accountId);
      const slow = await open(port, browser(owner), { http });
      await expect.poll(() => logged).toHaveLength(1);
      expect(logged[0]).toMatchObject({ msg: 'an export was cut off' });
      expect(logged[0]?.err?.message).toContain('is read too slowly');
      slow.readOn();
      await expect.poll(() => slow.ended).toBe('ECONNRESET');
      expect(slow.text).not.toMatch(/\r\n0\r\n\r\n$/);
      expect((await open(port, browser(owner))).status).toBe(200);
    },
  );

  it('is not one who reads on, and gets the whole file', async () => {
    const port = await serve({ ...LIMITS, minBytesMs: 5_000 });
    const fast = await open(port, browser(await running.signedIn('owner', accountId)));
    fast.readOn();
    await expect.poll(() => fast.text).toMatch(/\r\n0\r\n\r\n$/);
    expect(bodyOf(fast.text).match(/"request_id"/g)).toHaveLength(CHARGES);
    expect(logged).toEqual([]);
  });
});
