import { decimalsOf, exactText } from '../amounts.ts';
import { longDayText } from '../days.ts';
import type { ReceiptDocument } from '../document.ts';
import { writeFigure, writeHead, writeNote } from './head.ts';
import { Sheet } from './sheet.ts';
import { writeTable } from './table.ts';

/** Renders the receipt of a deposit as a PDF file. */
export async function renderReceipt({ number, parties, deposit }: ReceiptDocument): Promise<Uint8Array<ArrayBuffer>> {
  const { issuer, recipient } = parties;
  const { amountNanos, createdAtMs, depositId, reason } = deposit;
  const paidOn = longDayText(createdAtMs);
  const sheet = new Sheet({
    title: `Receipt ${number}, ${recipient.name}`,
    author: issuer.name,
    createdAtMs,
    footer: `${number}  ·  Amounts in US dollars, days in UTC`,
  });
  writeHead(sheet, {
    title: 'Receipt',
    facts: [
      ['Receipt number', number],
      ['Date paid', paidOn],
      ['Deposit', depositId],
    ],
    issuer,
    recipient,
    recipientLabel: 'Received from',
  });
  writeFigure(sheet, `${exactText(amountNanos)} paid on ${paidOn}`);
  writeTable(sheet, {
    columns: [
      { title: 'Description', width: 120, cell: () => 'Prepaid credit' },
      { title: 'Reference', cell: () => reason },
      { title: 'Amount', width: 118, align: 'right', cell: () => amountNanos },
    ],
    rows: [deposit],
    decimals: decimalsOf([amountNanos]),
    total: { label: 'Amount paid', nanos: amountNanos },
  });
  sheet.y += 10;
  writeNote(sheet, 'The amount is the credit that was bought, without taxes. This receipt is not a tax invoice.');
  return sheet.end();
}
