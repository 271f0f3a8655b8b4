import { LotKind, type Statement, type StatementLine, StatementLineKind } from '@tollgate/proto/ledger';
import { decimalsOf, exactText } from '../amounts.ts';
import { dayText, lastDayText, longDayText, monthText } from '../days.ts';
import type { Shown, StatementDocument } from '../document.ts';
import { writeFigure, writeHead, writeHeading, writeNote } from './head.ts';
import { Sheet } from './sheet.ts';
import { type TableColumn, writeTable } from './table.ts';

const DATE_WIDTH = 66;
const AMOUNT_WIDTH = 118;
const COUNT_WIDTH = 70;

/** Renders a statement as a PDF file. */
export async function renderStatement(document: StatementDocument): Promise<Uint8Array<ArrayBuffer>> {
  const { statement, number, parties, credits, expiries, models, days } = document;
  const { issuer, recipient } = parties;
  const month = monthText(statement.month);
  const sheet = new Sheet({
    title: `Statement ${month}, ${recipient.name}`,
    author: issuer.name,
    createdAtMs: statement.issuedAtMs,
    footer: `${number}  ·  Amounts in US dollars, days in UTC`,
  });
  writeHead(sheet, {
    title: 'Account statement',
    facts: [
      ['Statement number', number],
      ['Period', `1 to ${lastDayText(statement.month)} (UTC)`],
      ['Issued', longDayText(statement.issuedAtMs)],
    ],
    issuer,
    recipient,
    recipientLabel: 'For',
  });
  const parts = partsOf(statement);
  const decimals = decimalsOf([
    ...parts.map(({ nanos }) => nanos),
    statement.closingNanos,
    ...[...credits.rows, ...expiries.rows, ...models.rows, ...days].map(({ amountNanos }) => amountNanos),
  ]);
  writeFigure(sheet, `${exactText(statement.closingNanos)} closing balance on ${lastDayText(statement.month)}`);
  writeTable(sheet, {
    columns: [
      { title: 'Summary', cell: ({ label }) => label },
      { title: 'Amount', width: AMOUNT_WIDTH, align: 'right', cell: ({ nanos }) => nanos },
    ],
    rows: parts,
    decimals,
    total: { label: 'Closing balance', nanos: statement.closingNanos },
  });
  if (credits.count > 0) {
    writeHeading(sheet, 'Payments and other credits and debits');
    writeTable(sheet, {
      columns: [
        dateColumn,
        { title: 'Kind', width: 62, cell: ({ kind }) => KINDS[kind] },
        { title: 'Description', cell: descriptionOf },
        amountColumn,
      ],
      rows: credits.rows,
      decimals,
    });
    writeRest(sheet, credits, 'entries');
  }
  if (models.count > 0) {
    writeHeading(sheet, 'Charges by model');
    writeTable(sheet, {
      columns: [modelColumn, requestsColumn, amountColumn],
      rows: models.rows,
      decimals,
      total: { label: 'All charges', nanos: statement.chargesNanos },
    });
    writeRest(sheet, models, 'models');
    const byModel = days.some(({ model }) => model !== null);
    writeHeading(sheet, byModel ? 'Charges by day and model' : 'Charges by day');
    writeTable(sheet, {
      columns: [
        ...(byModel ? [dateColumn, modelColumn] : [{ title: 'Day', cell: dateColumn.cell }]),
        requestsColumn,
        amountColumn,
      ],
      rows: days,
      decimals,
    });
    if (!byModel) writeNote(sheet, 'The CSV file of this statement has every model of every day.');
  }
  if (expiries.count > 0) {
    writeHeading(sheet, 'Expired credit');
    writeTable(sheet, {
      columns: [
        dateColumn,
        { title: 'Credit', cell: (line) => `${line.reference} ${descriptionOf(line)}` },
        amountColumn,
      ],
      rows: expiries.rows,
      decimals,
    });
    writeRest(sheet, expiries, 'entries');
  }
  return sheet.end();
}

const KINDS: Readonly<Record<StatementLineKind, string>> = {
  [StatementLineKind.UNSPECIFIED]: '',
  [StatementLineKind.DEPOSIT]: 'Payment',
  [StatementLineKind.ADJUSTMENT]: 'Adjustment',
  [StatementLineKind.REFUND]: 'Refund',
  [StatementLineKind.DISPUTE]: 'Dispute',
  [StatementLineKind.CHARGES]: 'Charges',
  [StatementLineKind.EXPIRY]: 'Expired',
};

/** The reason of a credit, and what its lot is unless that is paid and has no end. */
function descriptionOf({ description, lotKind, endsAtMs }: StatementLine): string {
  const end = endsAtMs === undefined ? '' : `ends on ${longDayText(endsAtMs - 1n)}`;
  return [description, LOT_KINDS[lotKind], end].filter((part) => part !== '').join(', ');
}

const LOT_KINDS: Readonly<Record<LotKind, string>> = {
  [LotKind.UNSPECIFIED]: '',
  [LotKind.PAID]: '',
  [LotKind.GRANTED]: 'granted',
  [LotKind.CONTRACTUAL]: 'contractual',
};

const dateColumn: TableColumn<{ atMs: bigint }> = {
  title: 'Day',
  width: DATE_WIDTH,
  cell: ({ atMs }) => dayText(atMs),
};
const modelColumn: TableColumn<{ model: string | null }> = { title: 'Model', cell: ({ model }) => model ?? '' };
const amountColumn: TableColumn<{ amountNanos: bigint }> = {
  title: 'Amount',
  width: AMOUNT_WIDTH,
  align: 'right',
  cell: ({ amountNanos }) => amountNanos,
};
const requestsColumn: TableColumn<{ requests: bigint }> = {
  title: 'Requests',
  width: COUNT_WIDTH,
  align: 'right',
  cell: ({ requests }) => requests.toLocaleString('en-US'),
};

/** What the closing balance is the sum of. What did not occur is left out, but for what every statement has. */
function partsOf(statement: Statement): { label: string; nanos: bigint }[] {
  return [
    { label: 'Opening balance', nanos: statement.openingNanos, always: true },
    { label: 'Payments', nanos: statement.depositsNanos, always: true },
    { label: 'Refunds', nanos: statement.refundsNanos },
    { label: 'Disputes', nanos: statement.disputesNanos },
    { label: 'Adjustments and grants', nanos: statement.adjustmentsNanos },
    { label: 'Charges', nanos: statement.chargesNanos, always: true },
    { label: 'Expired credit', nanos: statement.expiredNanos },
  ].filter(({ nanos, always }) => always === true || nanos !== 0n);
}

function writeRest(sheet: Sheet, { rows, count }: Shown<unknown>, what: string): void {
  if (rows.length === count) return;
  writeNote(sheet, `${rows.length} of ${count} ${what} are listed. The CSV file of this statement has all of them.`);
}
