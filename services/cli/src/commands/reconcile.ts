import type { ReconcileFinding, ReconcileResponse } from '@tollgate/proto/ledger';
import type { Command } from 'commander';
import { formatFields, formatTable, formatTime } from '../output/table.ts';
import { callLedger } from '../services/clients.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

/** The budget of one call, and how much longer its last slice may take. */
const BUDGET_MS = 20_000;
const SLICE_MS = 1_800_000;

export function addReconcileCommand(program: Command, io: Io): void {
  program
    .command('reconcile')
    .description('check that all books agree and show the rows that do not; exits with status 1 if it finds any')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const done = await reconcile(io, options);
      print(io, options, { json: toJson(done), text: toText(done) });
      if (done.findingsTotal > 0n) throw new CommandFailure(`the reconciliation has ${done.findingsTotal} findings`);
    });
}

/** Begins a pass over all accounts, and calls until it is complete. */
async function reconcile(io: Io, options: GlobalOptions): Promise<ReconcileResponse> {
  for (let passBeganMs = 0n; ; ) {
    const request = { passBeganMs, budgetMs: BUDGET_MS };
    const deadlineMs = BUDGET_MS + SLICE_MS;
    const response = await callLedger({ io, options }, (client) => client.reconcile.bind(client), request, deadlineMs);
    if (response.complete) return response;
    io.stderr(`${response.charges + response.transfers} entries, ${response.accounts} accounts so far\n`);
    ({ passBeganMs } = response);
  }
}

function toText(done: ReconcileResponse): string {
  const figures = formatFields([
    ['checked up to', formatTime(done.passBeganMs)],
    ['charges', done.charges.toString()],
    ['transfers', done.transfers.toString()],
    ['accounts', done.accounts.toString()],
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
    until: jsonTime(done.passBeganMs),
    charges: done.charges.toString(),
    transfers: done.transfers.toString(),
    accounts: done.accounts.toString(),
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
