import { expect, it } from 'vitest';
import { pdfPages } from '../../testing/pdf-text.ts';
import { ACCOUNT_ID, PARTIES } from '../../testing/statement-documents.ts';
import { receiptNumber } from './numbers.ts';
import { renderReceipt } from './pdf/receipt.ts';

it('a receipt says who paid what to whom, and that it is no tax invoice', async () => {
  const deposit = {
    depositId: ACCOUNT_ID,
    amountNanos: 50_000_000_000n,
    reason: 'Payment pi_3SY',
    createdAtMs: BigInt(Date.UTC(2026, 10, 23, 23, 59)),
  };
  const number = receiptNumber(ACCOUNT_ID);
  const pages = await pdfPages(await renderReceipt({ kind: 'receipt', number, parties: PARTIES, deposit }));
  expect(pages).toHaveLength(1);
  for (const text of [
    'Receipt number R-8A51-5F1D8D2B7A10',
    `Deposit ${ACCOUNT_ID}`,
    'Beispiel Gateway GmbH',
    'Tax ID DE123456789',
    'Acme & Söhne',
    '$50.00 paid on 23 November 2026',
    'Prepaid credit Payment pi_3SY $50.00',
    'Amount paid $50.00',
    'not a tax invoice',
  ])
    expect(pages[0]).toContain(text);
});
