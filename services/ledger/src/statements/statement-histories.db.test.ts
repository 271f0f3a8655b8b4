import { RpcError } from '@tollgate/common/errors';
import { idFloor, newId } from '@tollgate/common/ids';
import { createLogger, type Logger } from '@tollgate/common/logging';
import type { Statement } from '@tollgate/proto/ledger';
import { mulberry32 } from '@tollgate/test-support/random/mulberry32';
import { chooseSeed } from '@tollgate/test-support/random/seed';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, openedSession, settle } from '../../testing/ledger-calls.ts';
import { type ClockedLedger, createClockedLedger } from '../../testing/ledger-clock.ts';
import { collectDebts } from '../deposits/debts.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { createStatementIssuer } from '../jobs/issue-statements.ts';
import { returnCredit } from '../leases/lease-credit.ts';
import { endLotsOf } from '../lots/end-lots.ts';
import { LateIndexes } from '../store/late-indexes.ts';
import { listStatements } from '../store/statements.ts';
import { DAY_MS, monthName, monthStart } from '../store/time.ts';

const START_MS = Date.UTC(2026, 0, 20, 7);
/** When the last statement, of May, is due. */
const END_MS = Date.UTC(2026, 5, 2);
const MAX_STEP_MS = 3 * DAY_MS;
const NEVER = new AbortController().signal;
const MODELS = ['a', 'b', 'c'];
/** Charges are accepted up to this age. */
const MAX_LATE_DAYS = 30;

/** Random operations over months, with the job of two replicas between and beside them. */
class StatementHistory {
  readonly #ledger: ClockedLedger;
  readonly #random: () => number;
  readonly #issuers: (() => Promise<void>)[];
  readonly accountId = newId();
  #nowMs = START_MS;

  constructor(ledger: ClockedLedger, logger: Logger, random: () => number) {
    this.#ledger = ledger;
    this.#random = random;
    const { pool } = ledger;
    this.#issuers = [1, 2].map(() => {
      const issue = createStatementIssuer({ pool, lateIndexes: new LateIndexes(pool), logger });
      return () => issue(NEVER);
    });
  }

  async run(): Promise<void> {
    await this.#pass(0);
    await this.#deposit();
    while (this.#nowMs + MAX_STEP_MS < END_MS) {
      await this.#pass(this.#below(MAX_STEP_MS));
      const steps = Array.from({ length: 1 + this.#below(3) }, () => this.#step());
      if (this.#below(2) === 0) steps.push(...this.#issuers.map((issue) => issue()));
      await Promise.all(steps);
    }
    await this.#pass(END_MS - this.#nowMs);
    await Promise.all(this.#issuers.map((issue) => issue()));
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  async #pass(ms: number): Promise<void> {
    this.#nowMs += ms;
    await this.#ledger.setTime(this.#nowMs);
  }

  async #step(): Promise<void> {
    const { pool } = this.#ledger;
    const kind = this.#below(10);
    if (kind < 2) await this.#deposit();
    else if (kind === 2) await this.#take('refund', 60);
    else if (kind === 3) await this.#take(this.#below(2) === 0 ? 'dispute' : 'adjustment', 400);
    else if (kind === 4) await endLotsOf(pool, this.accountId);
    else if (kind === 5) await collectDebts(pool);
    else await this.#use();
  }

  /** A credit, of which some end within weeks. */
  async #deposit(): Promise<void> {
    const endsAtMs = this.#below(3) === 0 ? BigInt(this.#nowMs + DAY_MS + this.#below(40 * DAY_MS)) : undefined;
    await makeDeposit(this.#ledger.pool, {
      accountId: this.accountId,
      kind: this.#below(2) === 0 ? 'deposit' : 'adjustment',
      amountNanos: BigInt(1 + this.#below(300)),
      idempotencyKey: newId(),
      reason: 'credit',
      lot: { kind: undefined, priority: undefined, endsAtMs },
    });
  }

  /** Takes more than there is at times: refunds are refused then, others become debt. */
  async #take(kind: 'refund' | 'dispute' | 'adjustment', most: number): Promise<void> {
    const amountNanos = -BigInt(1 + this.#below(most));
    const input = { accountId: this.accountId, kind, amountNanos, idempotencyKey: newId(), reason: 'taken' };
    try {
      await makeDeposit(this.#ledger.pool, input);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
    }
  }

  /** Charges of one session, of which some are weeks late or exceed their hold; it gives back the rest, or keeps it. */
  async #use(): Promise<void> {
    const { pool } = this.#ledger;
    const { accountId } = this;
    const sessionId = await openedSession(pool);
    await acquire(pool, sessionId, accountId, BigInt(1 + this.#below(80)));
    const charges = Array.from({ length: 1 + this.#below(4) }, () => {
      const lateMs = this.#below(3) === 0 ? this.#below(MAX_LATE_DAYS * DAY_MS) : this.#below(DAY_MS);
      const atMs = this.#nowMs - lateMs;
      const requestId = idFloor(atMs).slice(0, 13) + newId().slice(13);
      const model = MODELS[this.#below(MODELS.length)] ?? '';
      const holdNanos = BigInt(this.#below(30));
      const fields = { accountId, sessionId, requestId, model, holdNanos, startedAtMs: BigInt(atMs) };
      return buildCharge(fields, BigInt(this.#below(30)));
    });
    await settle(pool, ...charges);
    if (this.#below(3) > 0) await returnCredit(pool, sessionId, { accountId, cap: undefined, returnedTotal: 1_000n });
  }
}

/** What the ledger itself has of an account, from its entries. */
async function entriesOf({ pool }: ClockedLedger, accountId: string, endMs: number) {
  const read = async (sql: string) => (await pool.query<Record<string, string>>(sql, [accountId, endMs])).rows;
  const monthOf = (ms: string) => `to_char(to_timestamp(${ms} / 1000) AT TIME ZONE 'UTC', 'YYYY-MM')`;
  const [balance] = await read(
    'SELECT (available + leased + receivable)::text AS amount FROM ledger.balances WHERE account_id = $1 AND $2::bigint > 0',
  );
  return {
    balance: BigInt(balance?.['amount'] ?? 0),
    credits: await read(
      `SELECT ${monthOf('created_at_ms')} AS month, kind::text, sum(amount_nanos)::text AS amount FROM ledger.deposits
       WHERE account_id = $1 AND created_at_ms < $2 GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
    expiries: await read(
      `SELECT ${monthOf('created_at_ms')} AS month, 'expiry' AS kind, (-sum(amount))::text AS amount FROM ledger.transfers
       WHERE account_id = $1 AND reason = 'expiry' AND created_at_ms < $2 GROUP BY 1 ORDER BY 1`,
    ),
    charges: await read(
      `SELECT (started_at_ms - started_at_ms % ${DAY_MS})::text AS day, model, count(*)::text AS requests,
              (-sum(charged_nanos))::text AS amount
       FROM ledger.charges WHERE account_id = $1 AND started_at_ms < $2 GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
    later: await read(
      `SELECT sum(amount)::text AS amount FROM (
         SELECT amount_nanos AS amount FROM ledger.deposits WHERE account_id = $1 AND created_at_ms >= $2
         UNION ALL
         SELECT -amount FROM ledger.transfers WHERE account_id = $1 AND reason = 'expiry' AND created_at_ms >= $2
         UNION ALL
         SELECT -charged_nanos FROM ledger.charges WHERE account_id = $1 AND started_at_ms >= $2
       ) e`,
    ),
  };
}

/** The lines of all statements, grouped as the entries are. */
async function linesOf({ pool }: ClockedLedger, accountId: string) {
  const read = async (sql: string) => (await pool.query<Record<string, string>>(sql, [accountId])).rows;
  const byMonth = (kinds: string) =>
    read(
      `SELECT to_char(to_timestamp(month_ms / 1000) AT TIME ZONE 'UTC', 'YYYY-MM') AS month, kind::text,
              sum(amount)::text AS amount
       FROM ledger.statement_lines WHERE account_id = $1 AND ${kinds} GROUP BY 1, 2 ORDER BY 1, 2`,
    );
  return {
    credits: await byMonth("kind NOT IN ('charges', 'expiry')"),
    expiries: await byMonth("kind = 'expiry'"),
    charges: await read(
      `SELECT at_ms::text AS day, model, sum(requests)::text AS requests, sum(amount)::text AS amount
       FROM ledger.statement_lines WHERE account_id = $1 AND kind = 'charges' GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
    sums: await byMonth('true'),
  };
}

const changesOf = ({ openingNanos, closingNanos }: Statement) => closingNanos - openingNanos;
const byText = (rows: Record<string, string>[]) => rows.map((row) => JSON.stringify(row)).sort();

let ledger: ClockedLedger;
beforeAll(async () => {
  ledger = await createClockedLedger(START_MS);
});
afterAll(() => ledger.drop());

const seed = chooseSeed(process.env, Date.now());

it.each(Array.from({ length: 3 }, (_, index) => seed + index))(
  'statements of a random history equal the ledger, seed %i',
  async (historySeed) => {
    const logger = createLogger('test', 'silent');
    const logError = vi.spyOn(logger, 'error');
    const history = new StatementHistory(ledger, logger, mulberry32(historySeed));
    const { accountId } = history;
    await history.run();
    expect(logError).not.toHaveBeenCalled();
    const statements = (await listStatements(ledger.pool, accountId, Number.MAX_SAFE_INTEGER, 100)).reverse();
    expect(statements.map(({ month }) => month)).toEqual(
      [0, 1, 2, 3].map((offset) => monthName(monthStart(START_MS, offset))).concat('2026-05'),
    );
    const entries = await entriesOf(ledger, accountId, Date.UTC(2026, 5));
    const lines = await linesOf(ledger, accountId);
    expect(byText(lines.credits)).toEqual(byText(entries.credits));
    expect(byText(lines.expiries)).toEqual(byText(entries.expiries));
    // All came before the last statement.
    expect(byText(lines.charges)).toEqual(byText(entries.charges));
    for (const [index, statement] of statements.entries()) {
      expect(statement.openingNanos).toBe(statements[index - 1]?.closingNanos ?? 0n);
      const ofMonth = lines.sums.filter(({ month }) => month === statement.month);
      expect(ofMonth.reduce((sum, { amount = '0' }) => sum + BigInt(amount), 0n)).toBe(changesOf(statement));
      const ofKind = (kind: string) => BigInt(ofMonth.find((row) => row['kind'] === kind)?.['amount'] ?? 0);
      expect(statement).toMatchObject({
        depositsNanos: ofKind('deposit'),
        refundsNanos: ofKind('refund'),
        disputesNanos: ofKind('dispute'),
        adjustmentsNanos: ofKind('adjustment'),
        chargesNanos: ofKind('charges'),
        expiredNanos: ofKind('expiry'),
      });
    }
    const closing = statements.at(-1)?.closingNanos ?? 0n;
    expect(closing + BigInt(entries.later[0]?.['amount'] ?? 0)).toBe(entries.balance);
    expect(await brokenInvariants(ledger.pool)).toEqual([]);
  },
);
