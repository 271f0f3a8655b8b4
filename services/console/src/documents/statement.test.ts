import { describe, expect, it } from 'vitest';
import { csvRecords } from '../../testing/csv-records.ts';
import { pdfPages } from '../../testing/pdf-text.ts';
import { ACCOUNT_ID, documentOf, linesOf, PARTIES } from '../../testing/statement-documents.ts';
import { exactText } from './amounts.ts';
import { renderStatement } from './pdf/statement.ts';
import { STATEMENT_CSV_HEADER, statementLineToCsv } from './statement-csv.ts';
import { DOCUMENT_LIMITS, StatementLines } from './statement-lines.ts';

/** The nano-dollars of an amount on a page, such as `−$1,234.50`. */
function nanosOf(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.replace(/[−$,]/g, '').split('.');
  const magnitude = BigInt(whole + fraction.padEnd(9, '0'));
  return amount.startsWith('−') ? -magnitude : magnitude;
}

/** The amounts in a part of a text. */
function amountsIn(text: string, from: string, to: string): bigint[] {
  const part = text.slice(text.indexOf(from), text.indexOf(to));
  return [...part.matchAll(/−?\$[\d,]+\.\d{2} ?\d*/g)].map(([amount]) => nanosOf(amount.replace(' ', '')));
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

describe('the PDF file of a statement', () => {
  const lines = linesOf(3);
  const document = documentOf(lines);
  const { statement } = document;

  it('says whom it is from and for, of which month, and what the balance was', async () => {
    const [first = ''] = await pdfPages(await renderStatement(document));
    for (const text of [
      'Account statement',
      'Statement number S-2026-11-8A51-5F1D8D2B7A10',
      'Period 1 to 30 November 2026 (UTC)',
      'Issued 2 December 2026',
      ...PARTIES.issuer.addressLines,
      'Tax ID DE123456789',
      'billing@gateway.example',
      'Acme & Söhne',
      `Account ${ACCOUNT_ID}`,
      `${exactText(statement.closingNanos)} closing balance on 30 November 2026`,
      'Page 1 of ',
    ])
      expect(first).toContain(text);
    expect(first).toContain('"as agreed", granted, ends on 31 January 2027');
    expect(first).not.toContain('Disputes');
  });

  it('adds up: the summary to the closing balance, each list to its line of the summary', async () => {
    const text = (await pdfPages(await renderStatement(document))).join(' ');
    const summary = amountsIn(text, 'Summary', 'Closing balance $');
    expect(sum(summary)).toBe(statement.closingNanos);
    const credits = amountsIn(text, 'Payments and other', 'Charges by model');
    expect(sum(credits)).toBe(statement.depositsNanos + statement.refundsNanos + statement.adjustmentsNanos);
    expect(sum(amountsIn(text, 'Charges by model', 'All charges'))).toBe(statement.chargesNanos);
    const days = amountsIn(text, 'Charges by day and model', 'Expired credit Day');
    expect(days).toHaveLength(90);
    expect(sum(days)).toBe(statement.chargesNanos);
  });

  it('is the same file whenever it is rendered', async () => {
    expect(await renderStatement(document)).toEqual(await renderStatement(documentOf(lines)));
  });

  it('of a month without anything has a summary only', async () => {
    const pages = await pdfPages(await renderStatement(documentOf([])));
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain('Opening balance $84.120000412 Payments $0.000000000 Charges $0.000000000');
    expect(pages[0]).not.toContain('Charges by model');
  });

  it('shows Latin, Greek and Cyrillic letters, and where others are missing', async () => {
    const name = 'Zażółć Ωμέγα Слово 株式会社\u0000\u202Eevil e\u0301 🎉';
    const parties = { ...PARTIES, recipient: { name, accountId: ACCOUNT_ID } };
    const [first = ''] = await pdfPages(await renderStatement(documentOf([], parties)));
    expect(first).toContain('Zażółć Ωμέγα Слово ���� evil é �');
  });

  it('of a long text shows its beginning', async () => {
    const [credit, ...others] = lines;
    const long = { ...credit, description: `${'word '.repeat(100)}${'x'.repeat(500)}` } as (typeof lines)[number];
    const text = (await pdfPages(await renderStatement(documentOf([long, ...others])))).join(' ');
    expect(text).toContain('word…');
  });

  it('of very many lines has sums by model and by day, and says where all lines are', async () => {
    const many = documentOf(linesOf(300));
    const text = (await pdfPages(await renderStatement(many))).join(' ');
    expect(text).toContain(`${DOCUMENT_LIMITS.maxModels} of 300 models are listed.`);
    expect(text).toContain('The CSV file of this statement has every model of every day.');
    const days = amountsIn(text, 'Charges by day Day', 'The CSV file of this statement has every');
    expect(days).toHaveLength(30);
    expect(sum(days)).toBe(many.statement.chargesNanos);
  });
});

describe('the lines of a statement', () => {
  it('are summed by model, most expensive first, and by day', () => {
    const content = new StatementLines({ maxEntries: 2, maxModels: 1, maxDayLines: 1 });
    const lines = linesOf(2);
    for (const line of lines) content.add(line);
    const { credits, models, days } = content.content();
    expect(credits).toMatchObject({ rows: [{ description: 'Payment pi_3SY' }, {}], count: 3 });
    expect(models).toMatchObject({ rows: [{ requests: 465_000n }], count: 2 });
    expect(days).toHaveLength(30);
    expect(days[0]).toMatchObject({ atMs: BigInt(Date.UTC(2026, 10, 1)), model: null, requests: 2_000n });
  });

  it('are records of CSV with exact amounts', () => {
    const lines = linesOf(1);
    const text = STATEMENT_CSV_HEADER + lines.map(statementLineToCsv).join('');
    const records = csvRecords(text);
    expect(records[1]).toEqual({
      at: '2026-11-05T12:00:00.000Z',
      kind: 'adjustment',
      reference: ACCOUNT_ID,
      description: `'=goodwill, "as agreed"`,
      model: '',
      requests: '',
      lot_kind: 'granted',
      ends_at: '2027-02-01T00:00:00.000Z',
      amount: '5',
    });
    expect(records[3]).toMatchObject({ kind: 'charges', reference: '', model: 'model-0', requests: '1000' });
    const nanos = records.map(({ amount = '' }) => nanosOf(amount.replace('-', '−').replace(/^(−?\d+)$/, '$1.0')));
    expect(sum(nanos)).toBe(sum(lines.map(({ amountNanos }) => amountNanos)));
  });
});
