import { DEPOSIT_KINDS, type DepositKindName, depositKindName, renderDeposit } from '@tollgate/common/billing/deposit';
import { newId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import type { Balance, Deposit } from '@tollgate/proto/ledger';
import { type Command, Option } from 'commander';
import { formatFields, formatTable, formatTime } from '../output/table.ts';
import { callLedger } from '../services/clients.ts';
import { moreLine, readPages } from '../services/pages.ts';
import { amount, uuid } from '../terminal/arguments.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { balanceFields, balanceJson } from './balance.ts';
import type { GlobalOptions } from './global-options.ts';
import { type RangeDefaults, type RangeOptions, rangeOf, withRange } from './range-options.ts';

const RANGE: RangeDefaults = { items: 'deposits', days: 30, limit: 1_000 };

interface CreateOptions extends GlobalOptions {
  amount: bigint;
  kind: DepositKindName;
  reason: string;
  idempotencyKey?: string;
  /** False with --no-owing. */
  owing: boolean;
}

export function addDepositCommands(program: Command, io: Io): void {
  const deposits = program.command('deposits').description('credit accounts and list their deposits');
  deposits
    .command('create')
    .description('credit an account; adjustments and refunds may debit, disputes always do')
    .argument('<account>', 'id of the account', uuid)
    .requiredOption('--amount <dollars>', 'US dollars, exact, such as 10.50', amount)
    .addOption(
      new Option('--kind <kind>', 'kind of the deposit').choices(Object.keys(DEPOSIT_KINDS)).default('deposit'),
    )
    .option('--no-owing', 'refuse an adjustment or dispute that the balance cannot cover, instead of owing the rest')
    .option('--reason <text>', 'shown in the billing list', 'entered by an operator')
    .option(
      '--idempotency-key <key>',
      'a repeated call with the same key credits once; default: a new one, which is shown',
    )
    .action(async (accountId: string, _: unknown, command: Command) => {
      await createDeposit(io, accountId, command.optsWithGlobals<CreateOptions>());
    });
  const list = deposits
    .command('list')
    .description('list deposits, adjustments, refunds and disputes, newest first')
    .argument('<account>', 'id of the account', uuid);
  withRange(list, RANGE).action(async (accountId: string, _: unknown, command: Command) => {
    await listDeposits(io, accountId, command.optsWithGlobals<GlobalOptions & RangeOptions>());
  });
}

async function createDeposit(io: Io, accountId: string, options: CreateOptions): Promise<void> {
  const idempotencyKey = options.idempotencyKey ?? newId();
  // Shown before the call, so that a call whose response is lost can be repeated safely.
  if (options.idempotencyKey === undefined) io.stderr(`idempotency key: ${idempotencyKey}\n`);
  const request = {
    accountId,
    kind: DEPOSIT_KINDS[options.kind],
    amountNanos: options.amount,
    idempotencyKey,
    reason: options.reason,
    refuseShortfall: !options.owing,
  };
  const response = await callLedger({ io, options }, (client) => client.deposit.bind(client), request);
  if (response.deposit === undefined || response.balance === undefined) {
    throw new Error('the ledger service responded without a deposit');
  }
  const note = response.repeated ? 'This repeats an earlier call and changes nothing. The earlier call did:\n' : '';
  const words = `${describeDeposit(response.deposit)}\n${suspensionLine(response.balance)}`;
  print(io, options, {
    json: {
      ...toJson(response.deposit),
      idempotency_key: idempotencyKey,
      repeated: response.repeated,
      balance: balanceJson(response.balance),
    },
    text: note + words + formatFields([...fieldsOf(response.deposit), ...balanceFields(response.balance)]),
  });
}

async function listDeposits(io: Io, accountId: string, options: GlobalOptions & RangeOptions): Promise<void> {
  const range = rangeOf(options, RANGE, io);
  const { items, more } = await readPages(options.limit, async (limit, cursor) => {
    const request = { accountId, ...range, limit, cursor };
    const page = await callLedger({ io, options }, (client) => client.listDeposits.bind(client), request);
    return { items: page.deposits, next: page.nextCursor };
  });
  const columns = [
    { title: 'DEPOSIT' },
    { title: 'KIND' },
    { title: 'AMOUNT', align: 'right' as const },
    { title: 'REASON' },
    { title: 'CREATED' },
    { title: 'OWED', align: 'right' as const },
  ];
  const rows = items.map((deposit) => [
    ...fieldsOf(deposit).map(([, value]) => value),
    `${formatDollars(deposit.owedNanos)} USD`,
  ]);
  const text = formatTable(columns, rows, 'There are no deposits in this time.') + moreLine(more);
  print(io, options, { json: { deposits: items.map(toJson), more }, text });
}

/** What a deposit did, in words. */
function describeDeposit({ amountNanos, owedNanos }: Pick<Deposit, 'amountNanos' | 'owedNanos'>): string {
  const moved = amountNanos + owedNanos;
  const parts =
    amountNanos > 0n
      ? [part('Credited', moved), part('Paid of what was owed', -owedNanos)]
      : [part('Taken', -moved), part('Owed now, because the balance was too low', owedNanos)];
  return parts.filter((text) => text !== '').join(' ');
}

function part(what: string, nanos: bigint): string {
  return nanos === 0n ? '' : `${what}: ${formatDollars(nanos)} USD.`;
}

function suspensionLine({ suspended, receivableNanos }: Balance): string {
  if (!suspended) return '';
  const owed = formatDollars(receivableNanos);
  return `The account is suspended until it has paid the ${owed} USD it owes.\n`;
}

function fieldsOf(deposit: Deposit): [string, string][] {
  return [
    ['deposit', deposit.depositId],
    ['kind', depositKindName(deposit.kind)],
    ['amount', `${formatDollars(deposit.amountNanos)} USD`],
    ['reason', deposit.reason],
    ['created', formatTime(deposit.createdAtMs)],
  ];
}

function toJson(deposit: Deposit) {
  return { account_id: deposit.accountId, ...renderDeposit(deposit) };
}
