import { shiftableClocks, shiftClock } from '@tollgate/test-support/clock/shift-clock';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open, send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { readEvents } from '@tollgate/test-support/gateway/sse';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Auditor } from './support/database.ts';
import { readShortage } from './support/shortage.ts';

const SESSION_TTL_MS = 2_000;
const MAX_REQUEST_MS = 2_000;
const REPLAY_MARGIN_MS = 500;
/** Time until the credit of a session without heartbeats is released. */
const KEEP_MS = SESSION_TTL_MS + MAX_REQUEST_MS + REPLAY_MARGIN_MS;
const SOON = { timeout: 30_000, interval: 50 };

const folder = makeTemporaryFolder();

let gateway: Gateway;
let auditor: Auditor;
let database: pg.Pool;

/** Moves the clock of the second ingress. */
function setClock(aheadMs: number): void {
  const pid = gateway.stack.facts.pids['ingress-2'];
  if (pid === undefined) throw new Error('a second ingress is required');
  shiftClock(folder.path, { pid, port: new URL(urlOf(1)).port }, aheadMs);
}

beforeAll(async () => {
  const env = {
    ...{ SESSION_TTL_MS, MAX_REQUEST_MS, REPLAY_MARGIN_MS },
    ...shiftableClocks(folder.path),
  };
  gateway = await startGateway({
    ingresses: 2,
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
  });
  auditor = new Auditor(gateway.stack.facts.database_url);
  database = new pg.Pool({ connectionString: gateway.stack.facts.database_url, max: 1 });
});
afterAll(async () => {
  await database.end();
  await auditor.close();
  await gateway.stop();
  folder.remove();
});

function request(limit: number, controls: Record<string, unknown> = { output_tokens: 'max' }): object {
  return { model: 'small', messages: say('Hi'), max_tokens: limit, ...simulate(controls) };
}

function urlOf(ingress: number): string {
  return gateway.stack.facts.base_urls[ingress] ?? '';
}

function chatAt(ingress: number, account: Account, body: object): Promise<WireResponse> {
  return send(urlOf(ingress), chatRequest(account.key, body));
}

interface Session {
  session_id: string;
  state: string;
  ended_by: string | null;
}

/** The sessions of an ingress, oldest first. */
async function sessionsOf(ingress: string): Promise<Session[]> {
  const { rows } = await database.query<Session>(
    'SELECT session_id, state, ended_by FROM ledger.sessions WHERE ingress_name = $1 ORDER BY session_id',
    [ingress],
  );
  return rows;
}

/** Milliseconds from a session's last heartbeat to its end, by the clock of the database. */
async function keptMs(sessionId: string | undefined): Promise<number> {
  const { rows } = await database.query<{ ms: number }>(
    `SELECT extract(epoch FROM ended_at - last_heartbeat_at)::float8 * 1000 AS ms
     FROM ledger.sessions WHERE session_id = $1`,
    [sessionId],
  );
  return rows[0]?.ms ?? Number.NaN;
}

interface ChargeRow {
  request_id: string;
  session_id: string;
  started_at_ms: string;
  cost: bigint;
  charged: bigint;
}

async function chargesOf(account: Account): Promise<ChargeRow[]> {
  const { rows } = await database.query<Omit<ChargeRow, 'cost' | 'charged'> & { cost: string; charged: string }>(
    `SELECT request_id, session_id, started_at_ms::text, cost_nanos::text AS cost, charged_nanos::text AS charged
     FROM ledger.charges WHERE account_id = $1 ORDER BY request_id`,
    [account.accountId],
  );
  return rows.map((row) => ({ ...row, cost: BigInt(row.cost), charged: BigInt(row.charged) }));
}

function sum(rows: readonly ChargeRow[], of: (row: ChargeRow) => bigint): bigint {
  return rows.reduce((total, row) => total + of(row), 0n);
}

it('an ingress that was paused until it was fenced holds no credit that others have leased since', async () => {
  const poor = await gateway.accounts.create(0n);
  const hold = readShortage(await chatAt(0, poor, request(400))).neededNanos;
  const paidIn = 4n * hold;
  const account = await gateway.accounts.create(paidIn);
  let responded = 0;
  const ask = async (ingress: number, body: object) => {
    const response = await chatAt(ingress, account, body);
    if (response.status === 200) responded += 1;
    return response;
  };
  // The rest of this hold stays on the lease, and the slow request uses a part of it: after the pause, the ingress
  // still counts on what remains.
  expect((await ask(0, request(400, { output_tokens: 4 }))).status).toBe(200);
  const slow = { ...request(200, { output_tokens: 190, token_delay_ms: 30 }), stream: true };
  const stream = await open(urlOf(0), chatRequest(account.key, slow));
  stream.on('error', () => undefined);
  await readEvents(stream, 5);
  const [session] = await sessionsOf('ingress');
  const pid = gateway.stack.facts.pids['ingress'] ?? Number.NaN;

  process.kill(pid, 'SIGSTOP');
  const pausedAtMs = Date.now();
  try {
    await expect.poll(() => sessionsOf('ingress'), SOON).toEqual([{ ...session, state: 'closed', ended_by: 'expiry' }]);
    expect(await keptMs(session?.session_id)).toBeGreaterThanOrEqual(KEEP_MS);
    const freed = await auditor.books(account.accountId);
    expect(freed.leased).toBe(0n);
    // Another ingress spends the released credit, down to the last small request.
    for (const limit of [400, 20]) {
      let other = await ask(1, request(limit));
      while (other.status === 200) other = await ask(1, request(limit));
      readShortage(other);
    }
    // These wait in the socket: the ingress reads them first when it continues.
    const waiting = Promise.all(Array.from({ length: 8 }, () => ask(0, request(20))));
    process.kill(pid, 'SIGCONT');
    for (const response of await waiting) expect([400, 429, 503]).toContain(response.status);
  } finally {
    process.kill(pid, 'SIGCONT');
  }

  await gateway.accounts.deposit(account.accountId, hold);
  await expect.poll(async () => (await ask(0, request(20))).status, SOON).toBe(200);
  const sessions = await sessionsOf('ingress');
  expect(sessions.map(({ state }) => state)).toEqual(['closed', 'open']);
  // The completed ones, and the broken stream.
  await expect.poll(async () => (await chargesOf(account)).length, SOON).toBe(responded + 1);

  const charges = await chargesOf(account);
  const old = charges.filter(({ session_id }) => session_id === session?.session_id);
  expect(old).toHaveLength(2);
  for (const { started_at_ms } of old) expect(Number(started_at_ms)).toBeLessThan(pausedAtMs);
  // Output before the pause is paid; the charge of the broken stream arrives too late and is the operator's loss.
  const [paid, late] = old;
  expect(paid?.charged).toBe(paid?.cost);
  expect(late?.charged).toBe(0n);
  expect(late?.cost).toBeGreaterThan(0n);
  const spent = sum(charges, ({ charged }) => charged);
  const cost = sum(charges, ({ cost }) => cost);
  const books = await auditor.books(account.accountId);
  expect(books.available + books.leased).toBe(paidIn + hold - spent);
  expect(books).toMatchObject({ revenue: cost, deposits: -paidIn - hold, operatorLoss: spent - cost });
  expect(await auditor.total()).toBe(0n);
});

it('sessions survive a ledger outage longer than their lifetime', async () => {
  const account = await gateway.accounts.create(1_000_000_000n);
  expect((await chatAt(1, account, request(400))).status).toBe(200);
  const before = (await sessionsOf('ingress-2')).filter(({ state }) => state === 'open');
  expect(before).toHaveLength(1);
  const leased = (await auditor.books(account.accountId)).leased;
  await gateway.stack.kill('ledger');
  await new Promise((resolve) => setTimeout(resolve, KEEP_MS + 500));
  expect((await chatAt(1, account, request(400))).status).toBe(503);
  await gateway.stack.restart('ledger');
  await expect.poll(async () => (await chatAt(1, account, request(400))).status, SOON).toBe(200);
  expect((await sessionsOf('ingress-2')).filter(({ state }) => state === 'open')).toEqual(before);
  expect(leased).toBeGreaterThan(0n);
  await expect.poll(async () => (await chargesOf(account)).length, SOON).toBe(2);
  const spent = sum(await chargesOf(account), ({ charged }) => charged);
  const books = await auditor.books(account.accountId);
  expect(books.available + books.leased).toBe(1_000_000_000n - spent);
  expect(books.operatorLoss).toBe(0n);
});

it('an ingress whose clock is a quarter of an hour ahead rejects requests, says why, and recovers with its clock', async () => {
  const account = await gateway.accounts.create(1_000_000_000n);
  const ready = async () => await send(urlOf(1), { path: '/health/ready' });
  setClock(900_000);
  // Its session lapses first by its own clock; the next heartbeat shows why.
  const reason = /the clock is (899|900) s ahead of the database's, more than 60 s/;
  await expect.poll(async () => (await ready()).text, SOON).toMatch(reason);
  expect((await ready()).status).toBe(503);
  const refused = await chatAt(1, account, request(20));
  expect(refused.status).toBe(503);
  expect(refused.text).toContain('The clock of this gateway is wrong');
  // The other one reopens its session on its own after the ledger's outage.
  await expect.poll(async () => (await chatAt(0, account, request(20))).status, SOON).toBe(200);
  setClock(0);
  await expect.poll(async () => (await ready()).status, SOON).toBe(200);
  expect((await chatAt(1, account, request(20))).status).toBe(200);
  await expect.poll(async () => (await chargesOf(account)).length, SOON).toBe(2);
});
