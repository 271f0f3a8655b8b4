import { LotKind, type Statement, StatementLine, StatementLineKind } from '@tollgate/proto/ledger';
import type { StatementDocument } from '../src/documents/document.ts';
import { statementNumber } from '../src/documents/numbers.ts';
import type { Parties } from '../src/documents/parties.ts';
import { StatementLines } from '../src/documents/statement-lines.ts';

export const ACCOUNT_ID = '019aa5f0-2f4e-7d0c-8a51-5f1d8d2b7a10';

export const PARTIES: Parties = {
  issuer: {
    name: 'Beispiel Gateway GmbH',
    addressLines: ['Große Straße 12', '10115 Berlin'],
    taxId: 'DE123456789',
    email: 'billing@gateway.example',
  },
  recipient: { name: 'Acme & Söhne', accountId: ACCOUNT_ID },
};

/** Through January. */
const GRANTED = { lotKind: LotKind.GRANTED, endsAtMs: BigInt(Date.UTC(2027, 1, 1)) };

const noon = (day: number) => BigInt(Date.UTC(2026, 10, day, 12));

/** Charges of a day and model, whose amount follows from both. */
function charges(day: number, model: string): StatementLine {
  const amountNanos = -BigInt((day * 7_919 + model.length * 104_729) % 9_973) * 1_234_567n;
  const fields = { kind: StatementLineKind.CHARGES, atMs: BigInt(Date.UTC(2026, 10, day)), model, amountNanos };
  return StatementLine.fromPartial({ ...fields, requests: BigInt(day * 1_000) });
}

/** The lines of a statement: credits, charges of a number of models on each of 30 days, and credit that ended. */
export function linesOf(models: number): StatementLine[] {
  const names = Array.from({ length: models }, (_, index) => `model-${index}`);
  const days = Array.from({ length: 30 }, (_, index) => index + 1);
  const credit = (kind: StatementLineKind, day: number, description: string, amountNanos: bigint) =>
    StatementLine.fromPartial({ kind, atMs: noon(day), reference: ACCOUNT_ID, description, amountNanos });
  return [
    credit(StatementLineKind.DEPOSIT, 2, 'Payment pi_3SY', 500_000_000_000n),
    { ...credit(StatementLineKind.ADJUSTMENT, 5, '=goodwill, "as agreed"', 5_000_000_000n), ...GRANTED },
    credit(StatementLineKind.REFUND, 25, 'Refund of pi_3SY', -20_000_000_000n),
    ...days.flatMap((day) => names.map((model) => charges(day, model))),
    StatementLine.fromPartial({
      kind: StatementLineKind.EXPIRY,
      atMs: noon(28),
      reference: ACCOUNT_ID,
      amountNanos: -1_234_500_000n,
      lotKind: LotKind.GRANTED,
    }),
  ];
}

const sumOf = (lines: readonly StatementLine[], kind: StatementLineKind) =>
  lines.filter((line) => line.kind === kind).reduce((sum, { amountNanos }) => sum + amountNanos, 0n);

/** The statement that consists of some lines. */
export function statementOf(lines: readonly StatementLine[]): Statement {
  const openingNanos = 84_120_000_412n;
  return {
    accountId: ACCOUNT_ID,
    month: '2026-11',
    openingNanos,
    depositsNanos: sumOf(lines, StatementLineKind.DEPOSIT),
    refundsNanos: sumOf(lines, StatementLineKind.REFUND),
    disputesNanos: sumOf(lines, StatementLineKind.DISPUTE),
    adjustmentsNanos: sumOf(lines, StatementLineKind.ADJUSTMENT),
    chargesNanos: sumOf(lines, StatementLineKind.CHARGES),
    expiredNanos: sumOf(lines, StatementLineKind.EXPIRY),
    closingNanos: lines.reduce((sum, { amountNanos }) => sum + amountNanos, openingNanos),
    issuedAtMs: BigInt(Date.UTC(2026, 11, 2)),
  };
}

/** A statement as a document. */
export function documentOf(lines: readonly StatementLine[], parties = PARTIES): StatementDocument {
  const content = new StatementLines();
  for (const line of lines) content.add(line);
  const number = statementNumber(ACCOUNT_ID, '2026-11');
  return { kind: 'statement', number, parties, statement: statementOf(lines), ...content.content() };
}
