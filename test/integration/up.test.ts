import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isRunning } from '@tollgate/common/processes';
import { CHECKOUT, type Facts, findFreePort, waitUntil } from '@tollgate/local';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { makeTemporaryFolder, type TemporaryFolder } from '@tollgate/test-support/temporary-folder';
import OpenAI from 'openai';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startUp, type Up } from './support/up.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

let folder: TemporaryFolder;
let data: string;
let started: Up[];

beforeEach(() => {
  folder = makeTemporaryFolder();
  data = join(folder.path, 'data');
  started = [];
});

afterEach(async () => {
  for (const up of started) {
    up.process.kill('SIGKILL');
    await up.ended;
  }
  folder.remove();
});

async function start(settings: Record<string, string> = {}): Promise<Up> {
  // The ingresses take the ports after the first.
  const console = await findFreePort();
  const ports = { PORT: String(await findFreePort()), CONSOLE_PORT: String(console) };
  const up = startUp(data, { ...ports, REDIS_URL: redisUrl(), ...settings });
  started.push(up);
  return up;
}

async function expectAllGone(facts: Facts): Promise<void> {
  const pids = Object.values(facts.pids);
  await waitUntil(() => !pids.some(isRunning), { what: 'all processes to end', timeoutMs: 40_000 });
}

async function balance(facts: Facts): Promise<string> {
  const headers = { authorization: `Bearer ${facts.api_key}` };
  const response = await fetch(`${facts.base_url}/v1/billing/balance`, { headers });
  const { balance: text }: { balance: string } = JSON.parse(await response.text());
  return text;
}

async function chat(facts: Facts): Promise<string> {
  const client = new OpenAI({ apiKey: facts.api_key, baseURL: facts.base_url, maxRetries: 0 });
  const response = await client.chat.completions.create({
    model: facts.models[0] ?? '',
    messages: [{ role: 'user', content: 'Hello' }],
  });
  return response.choices[0]?.message.content ?? '';
}

/** The reply of a loopback port, which every user of the machine can reach, to a line. */
async function answerOf(port: number, line: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(line);
  const [data]: Buffer[] = await once(socket, 'data');
  socket.destroy();
  return String(data);
}

/** The services with gRPC use sockets that no other user can reach, and the command line finds the console. */
async function expectReachableByUs(facts: Facts): Promise<void> {
  const { auth, ledger, router } = facts.grpc;
  for (const address of [auth, ledger, router, facts.payments?.grpc ?? '']) {
    const socket = address.replace(/^unix:/, '');
    expect(statSync(socket).isSocket()).toBe(true);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
  }
  const options = { cwd: CHECKOUT, env: { ...process.env, TOLLGATE_DATA: data } };
  const { stdout } = await run(join(CHECKOUT, 'services/cli/bin/tollgate'), ['accounts', 'create', 'Ours'], options);
  expect(stdout).toContain('Ours');
}

/** Logins of Postgres by service. */
async function loginsOfServices({ database_url }: Facts): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  const { rows } = await client.query<{ service: string; logins: string[] }>(
    `SELECT split_part(application_name, '-', 2) AS service, array_agg(DISTINCT usename::text) AS logins
     FROM pg_stat_activity WHERE application_name LIKE 'tollgate-%' GROUP BY 1`,
  );
  await client.end();
  return Object.fromEntries(rows.map(({ service, logins }) => [service, logins]));
}

/** Entries of a folder that other users may access. */
function openToOthers(path: string): string[] {
  const stats = statSync(path);
  const inside = stats.isDirectory() ? readdirSync(path).flatMap((name) => openToOthers(join(path, name))) : [];
  return (stats.mode & 0o077) === 0 ? inside : [path, ...inside];
}

/** The lines of the output between two marks: a command to paste. */
function printedBetween(printed: string, first: string, last: string): string {
  const from = printed.indexOf(first);
  const to = printed.indexOf(last, from);
  return printed.slice(from, to + last.length);
}

describe('make up', () => {
  it('serves, stops on Ctrl-C without leaving processes, and starts again with the same data', async () => {
    const first = await start({ TOLLGATE_INGRESSES: '2' });
    const facts = await first.ready();
    expect(Object.keys(facts).sort()).toEqual([
      'api_key',
      'base_url',
      'base_urls',
      'console',
      'database_url',
      'grpc',
      'models',
      'payments',
      'pids',
      'redis_url',
    ]);
    expect(Object.keys(facts.grpc).sort()).toEqual(['auth', 'auths', 'ledger', 'ledgers', 'router']);
    expect(facts.pids).toMatchObject({ ingress: expect.any(Number), 'ingress-2': expect.any(Number) });
    expect(statSync(join(data, 'up.json')).mode & 0o777).toBe(0o600);
    expect(openToOthers(join(data, 'journal'))).toEqual([]);
    expect(openToOthers(join(data, 'logs'))).toEqual([]);
    // Root's Postgres runs as another user, who must pass through the folder, but cannot list or read it.
    expect(statSync(data).mode & (isRoot ? 0o066 : 0o077)).toBe(0);
    expect(await loginsOfServices(facts)).toEqual({
      auth: ['tollgate_auth'],
      ledger: ['tollgate_ledger'],
      console: ['tollgate_console'],
      payments: ['tollgate_payments'],
    });
    const ports = facts.base_urls.map((url) => Number(new URL(url).port));
    expect(ports).toEqual([ports[0], (ports[0] ?? 0) + 1]);
    const before = await balance(facts);
    for (const base_url of facts.base_urls) expect(await chat({ ...facts, base_url })).not.toBe('');
    await waitUntil(async () => (await balance(facts)) !== before, {
      what: 'the charges to be posted',
      timeoutMs: 30_000,
    });

    first.process.kill('SIGINT');
    expect(await first.ended).toBe(0);
    await expectAllGone(facts);
    expect(existsSync(join(data, 'up.json'))).toBe(false);
    expect(existsSync(join(CHECKOUT, '.tollgate/up.json'))).toBe(false);

    const second = await start();
    const again = await second.ready();
    expect(again.api_key).toBe(facts.api_key);
    const left = Number(await balance(again));
    expect(left).toBeLessThan(10);
    expect(left).toBeGreaterThan(9);
    second.process.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    await expectAllGone(again);
  });

  it('needs no Redis, and prints examples that work', async () => {
    const up = await start({ PATH: '/nowhere', REDIS_URL: '' });
    const facts = await up.ready();
    expect(up.printed()).toContain('stand-in');
    const { port: redisPort } = new URL(facts.redis_url);
    expect(await answerOf(Number(redisPort), 'KEYS *\r\n')).toMatch(/^-NOAUTH /);
    await expectReachableByUs(facts);
    await waitUntil(() => up.printed().includes('Ctrl-C'), { what: 'the examples', timeoutMs: 30_000 });
    const options = { cwd: CHECKOUT };
    const curl = await run('sh', ['-c', printedBetween(up.printed(), 'curl http', `}'`)], options);
    expect(JSON.parse(curl.stdout)).toMatchObject({ object: 'chat.completion', usage: { cost: expect.any(Number) } });
    const sdk = await run('sh', ['-c', printedBetween(up.printed(), 'deploy/node', '\nEND')], options);
    expect(sdk.stdout).toContain('total_tokens');
    up.process.kill('SIGINT');
    expect(await up.ended).toBe(0);
    await expectAllGone(facts);
    expect(existsSync(dirname(facts.grpc.auth.replace(/^unix:/, '')))).toBe(false);
  });

  it('leaves no processes when killed, and starts again on the same data', async () => {
    const first = await start();
    const facts = await first.ready();
    first.process.kill('SIGKILL');
    await first.ended;
    await expectAllGone(facts);
    const second = await start();
    const again = await second.ready();
    expect(again.api_key).toBe(facts.api_key);

    const third = await start();
    expect(await third.ended).toBe(1);
    expect(third.printed()).toContain('already runs on this data');

    process.kill(again.pids['ledger'] ?? Number.NaN, 'SIGKILL');
    expect(await second.ended).toBe(1);
    expect(second.printed()).toContain('ledger was ended by SIGKILL');
    await expectAllGone(again);
  });

  it('stops on a signal before it is ready', async () => {
    const up = await start();
    await waitUntil(() => up.printed().includes('starting Postgres'), { what: 'the first step', timeoutMs: 30_000 });
    up.process.kill('SIGINT');
    expect(await up.ended).toBe(0);
    expect(existsSync(join(data, 'lock'))).toBe(false);
    expect(existsSync(join(data, 'postgres/postmaster.pid'))).toBe(false);
  });

  it('says what to do about a port in use, and about several ingresses without a Redis', async () => {
    const port = await findFreePort();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const taken = await start({ PORT: String(port) });
    expect(await taken.ended).toBe(1);
    expect(taken.printed()).toMatch(new RegExp(`Port ${port} is in use.*PORT=`));
    await new Promise((resolve) => server.close(resolve));

    const alone = await start({ PATH: '/nowhere', REDIS_URL: '', TOLLGATE_INGRESSES: '2' });
    expect(await alone.ended).toBe(1);
    expect(alone.printed()).toMatch(/2 ingresses need a real Redis.*REDIS_URL/);
  });
});
