import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { createLogger } from '@tollgate/common/logging';
import { createRedis } from '@tollgate/common/redis/client';
import { holdsRecords } from '@tollgate/common/testing/redis-promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandIn, startStandIn } from './server.ts';

let standIn: StandIn;
let client: ReturnType<typeof createRedis>;

beforeAll(async () => {
  standIn = await startStandIn('127.0.0.1', 0);
  const url = `redis://127.0.0.1:${standIn.port}`;
  client = createRedis({ url, connectionName: 'test', commandTimeoutMs: 5_000 }, createLogger('test', 'silent'));
  await new Promise<void>((resolve) => client.once('ready', () => resolve()));
});

afterAll(async () => {
  client.disconnect();
  await standIn.stop();
});

describe('the stand-in for Redis, used by the client of the services', () => {
  it('keeps values until they expire', async () => {
    const name = randomBytes(8).toString('hex');
    expect(await client.set(name, 'value', 'PX', 60_000)).toBe('OK');
    expect(await client.get(name)).toBe('value');
    expect(await client.pttl(name)).toBeGreaterThan(50_000);
    expect(await client.del(name)).toBe(1);
    expect(await client.get(name)).toBeNull();
  });

  it('answers pipelined commands in their order', async () => {
    const name = randomBytes(8).toString('hex');
    const counts = await Promise.all(Array.from({ length: 3_000 }, () => client.incr(name)));
    expect(counts).toEqual(Array.from({ length: 3_000 }, (_, index) => index + 1));
  });

  it('runs scripts, by their text and by their digest', async () => {
    const script = `return {KEYS[1], ARGV[1], 3, false, redis.call('GET', KEYS[1]) == false}`;
    const name = randomBytes(8).toString('hex');
    const response = [name, 'a', 3, null, 1];
    const digest = await client.script('LOAD', script);
    expect(await client.eval(script, 1, name, 'a')).toEqual(response);
    expect(await client.evalsha(String(digest), 1, name, 'a')).toEqual(response);
    await expect(client.evalsha('0'.repeat(40), 0)).rejects.toThrow(/NOSCRIPT/);
    await expect(client.eval('return nothing.here', 0)).rejects.toThrow();
  });

  it('reports the time, to scripts too', async () => {
    const script = `local clock = redis.call('TIME') return clock[1] * 1000 + math.floor(clock[2] / 1000)`;
    for (let requested = 0; requested < 20; requested++) {
      const before = Date.now();
      const [seconds = 0, microseconds = 0] = await client.time();
      const reported = Number(await client.eval(script, 0));
      const after = Date.now();
      for (const time of [seconds * 1_000 + microseconds / 1_000, reported]) {
        expect(time).toBeGreaterThanOrEqual(before);
        expect(time).toBeLessThanOrEqual(after);
      }
    }
  });

  it('rejects unknown commands', async () => {
    await expect(client.call('XADD', 'stream', '*', 'a', 'b')).rejects.toThrow(/unknown command/);
  });

  it('serves the cache of keys', () => holdsRecords(client));
});

describe('the stand-in for Redis with a password', () => {
  let guarded: StandIn;
  beforeAll(async () => {
    guarded = await startStandIn('127.0.0.1', 0, 'right');
  });
  afterAll(() => guarded.stop());

  /** The responses to some lines of a new connection. */
  async function answersTo(...lines: string[]): Promise<string[]> {
    const socket = createConnection(guarded.port, '127.0.0.1');
    socket.end(lines.map((line) => `${line}\r\n`).join(''));
    let responses = '';
    for await (const data of socket) responses += String(data);
    return responses.trimEnd().split('\r\n');
  }

  it('serves a connection that presented it', async () => {
    expect(await answersTo('AUTH right', 'SET name value', 'PING', 'QUIT')).toEqual(['+OK', '+OK', '+PONG', '+OK']);
  });

  it('has a client that begins with HELLO continue with AUTH', async () => {
    expect(await answersTo('HELLO 3 AUTH default right', 'AUTH right', 'PING', 'QUIT')).toEqual([
      "-ERR unknown command 'hello'",
      '+OK',
      '+PONG',
      '+OK',
    ]);
  });

  it('rejects commands of a connection that did not', async () => {
    const refused = '-NOAUTH Authentication required.';
    for (const lines of [
      ['GET name', 'KEYS *'],
      ['AUTH wrong', 'GET name'],
      ['AUTH user right', 'GET name'],
    ])
      expect([lines, await answersTo(...lines, 'QUIT')]).toEqual([lines, [refused, refused, '+OK']]);
  });
});
