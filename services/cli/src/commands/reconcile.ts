import type { ReconcileFinding, ReconcileResponse } from '@tollgate/proto/ledger';
import type { Command } from 'commander';
import { formatFields, formatTable, formatTime } from '../output/table.ts';
import { callLedger } from '../services/clients.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

/** The budget of one call, and how much longer its last step may take. */
const BUDGET_MS = 20_000;
const STEP_MS = 120_000;
const FULL_STEP_MS = 1_800_000;

interface ReconcileOptions extends GlobalOptions {
  full?: boolean;
}

export function addReconcileCommand(program: Command, io: Io): void {
  program
    .command('reconcile')
    .description('check that all books agree and show the rows that do not; exits with status 1 if it finds any')
    .option('--full', 'check every account in full, not only what was posted since the last check')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<ReconcileOptions>();
      const done = await reconcile(io, options);
      print(io, options, { json: toJson(done), text: toText(done) });
      if (done.findingsTotal > 0n) throw new CommandFailure(`the reconciliation has ${done.findingsTotal} findings`);
    });
}

/** Calls until everything is checked; each call continues where the last one ended. */
async function reconcile(io: Io, options: ReconcileOptions): Promise<ReconcileResponse> {
  const request = { full: options.full === true, budgetMs: BUDGET_MS };
  const deadlineMs = BUDGET_MS + (request.full ? FULL_STEP_MS : STEP_MS);
  const sums = { charges: 0n, transfers: 0n, accounts: 0n, hours: 0n };
  for (;;) {
    const response = await callLedger({ io, options }, (client) => client.reconcile.bind(client), request, deadlineMs);
    sums.charges += response.charges;
    sums.transfers += response.transfers;
    sums.accounts += response.accounts;
    sums.hours += response.hours;
    if (response.complete) return { ...response, ...sums };
    io.stderr(`${sums.charges + sums.transfers} entries, ${sums.accounts} accounts so far\n`);
  }
}

function toText(done: ReconcileResponse): string {
  const figures = formatFields([
    ['checked up to', formatTime(done.untilMs)],
    ['charges', done.charges.toString()],
    ['transfers', done.transfers.toString()],
    ['accounts compared', done.accounts.toString()],
    ['hours compared', done.hours.toString()],
    ['findings', done.findingsTotal.toString()],
  ]);
  if (done.findings.length === 0) return figures;
  const columns = [{ title: 'INVARIANT' }, { title: 'ROW' }, { title: 'SHOULD BE' }, { title: 'IS' }];
  const rows = done.findings.map((finding) => [
    finding.invariant,
    finding.placeJson,
    finding.expectedJson,
    finding.foundJson,
  ]);
  return `${figures}\n${formatTable(columns, rows, '')}`;
}

function toJson(done: ReconcileResponse) {
  return {
    until: jsonTime(done.untilMs),
    charges: done.charges.toString(),
    transfers: done.transfers.toString(),
    accounts: done.accounts.toString(),
    hours: done.hours.toString(),
    findings_total: done.findingsTotal.toString(),
    findings: done.findings.map(findingJson),
  };
}

/** The row and its figures stay JSON in text: numbers in them may be larger than JSON readers take. */
function findingJson(finding: ReconcileFinding) {
  return {
    invariant: finding.invariant,
    account_id: finding.accountId,
    place: finding.placeJson,
    expected: finding.expectedJson,
    found: finding.foundJson,
  };
}
