import { setTimeout as delay } from 'node:timers/promises';
import { brokenInvariants } from '@tollgate/ledger/testing/check-invariants';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { judge } from '@tollgate/test-support/load/judge';
import { type Load, startLoad } from '@tollgate/test-support/load/load';
import type { Sent } from '@tollgate/test-support/load/sent';
import { Watcher } from '@tollgate/test-support/load/watcher';
import type { Gateway } from './gateway.ts';
import type { Release } from './release.ts';

const FUNDS = 10_000_000_000n;
const SETTLED_WITHIN_MS = 60_000;
/** Time under load before and after the event. */
const BEFORE_MS = 3_000;
const AFTER_MS = 5_000;
/** Maximum number of printed failures and findings. */
const MAX_SHOWN = 5;

/** The results of the requests during an event. */
export interface Outcome {
  requests: number;
  /** Requests that failed and were not abandoned by their client. */
  failed: string[];
  /** Wrong, missing and duplicate charges, and other violations. */
  findings: string[];
  /** Duration in seconds. */
  seconds: number;
}

export interface UnderLoadOptions {
  /** The event, for the report. */
  what: string;
  release: Release;
  gateway: Gateway;
  clients?: number;
  seed?: number;
  /** Maximum pause of a client between two requests, milliseconds. */
  pauseMs?: number;
  /** Whether connections may break, such as when a pod is killed. */
  mayBreak?: boolean;
}

/**
 * Sends requests of all protocols, streamed and buffered, during an event, waits until all are charged, and compares
 * the books with what clients received: each completely received response has one charge of the right amount. Prints a
 * line.
 */
export async function underLoad(options: UnderLoadOptions, happen: () => Promise<unknown>): Promise<Outcome> {
  const { release, gateway } = options;
  const accounts: [Account, Account] = [await gateway.accounts.create(FUNDS), await gateway.accounts.create(FUNDS)];
  const watcher = new Watcher(gateway.databaseUrl);
  const load = startLoad({
    seed: options.seed ?? Date.now() % 1_000_000,
    clients: options.clients ?? 6,
    pauseMs: options.pauseMs ?? 100,
    ingresses: [{ name: release.name, url: release.url }],
    accounts,
    leaves: false,
  });
  const startedAt = performance.now();
  try {
    await delay(BEFORE_MS);
    await happen();
    await delay(AFTER_MS);
  } finally {
    await load.stop();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  await settled(gateway, load);
  await watcher.stop();
  const ids = new Set(accounts.map(({ accountId }) => accountId));
  const booked = (await gateway.books.charges()).filter(({ accountId }) => ids.has(accountId));
  const lived = () => options.mayBreak !== true;
  const findings = [
    ...judge({ sent: load.sent, booked, lived }),
    ...watcher.violations,
    ...(await brokenInvariants(gateway.books.pool)),
    ...(await gateway.books.quarantined()).map((row) => `quarantined: ${JSON.stringify(row)}`),
  ];
  const failed = load.sent.filter((one) => one.outcome !== 'completed').map(report);
  const outcome = { requests: load.sent.length, failed, findings, seconds };
  process.stdout.write(describe(options.what, outcome));
  return outcome;
}

/** Waits until all received responses are charged; the judge reports what is missing then. */
async function settled({ books }: Gateway, { sent }: Load): Promise<void> {
  const ids = sent.flatMap(({ outcome, requestId }) =>
    outcome === 'completed' && requestId !== undefined ? [requestId] : [],
  );
  const until = performance.now() + SETTLED_WITHIN_MS;
  while ((await books.uncharged(ids)).length > 0 && performance.now() < until) await delay(250);
}

function report(one: Sent): string {
  const how = `${one.client} ${one.protocol} ${one.streamed ? 'streamed' : 'buffered'} ${one.model}`;
  return `${one.outcome} ${one.status ?? ''} ${how} ${one.requestId ?? ''} ${one.said ?? one.complaint ?? ''}`;
}

/** The result in one line, and a line for each of the first failures. */
function describe(what: string, { requests, failed, findings, seconds }: Outcome): string {
  const kinds = new Map<string, number>();
  for (const each of failed) {
    const kind = each.split(' ').slice(0, 2).join(' ').trim();
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const reported = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ');
  return (
    `${what}: ${requests} requests in ${seconds.toFixed(0)} s, ${failed.length} failed${reported && ` (${reported})`}, ` +
    `${findings.length} wrong\n` +
    [...failed.slice(0, MAX_SHOWN), ...findings.slice(0, MAX_SHOWN)].map((each) => `  ${each}\n`).join('')
  );
}
