import type { Issuer, Recipient } from '../parties.ts';
import { COLORS, CONTENT, type Sheet, SIZES } from './sheet.ts';

interface Head {
  title: string;
  /** Such as number and date. */
  facts: readonly (readonly [label: string, value: string])[];
  issuer: Issuer;
  recipient: Recipient;
  /** What the recipient is called. */
  recipientLabel: string;
}

const LABEL_WIDTH = 92;
const HALF = CONTENT.width / 2 + 8;

/** Writes what every document begins with: its title, its number and dates, and whom it is from and for. */
export function writeHead(sheet: Sheet, { title, facts, issuer, recipient, recipientLabel }: Head): void {
  sheet.text(issuer.name, { x: CONTENT.left + HALF, align: 'right', font: 'strong', size: SIZES.large, maxLines: 2 });
  sheet.y += sheet.text(title, { font: 'strong', size: SIZES.title, width: HALF - 16 }) + 12;
  for (const [label, value] of facts) {
    sheet.text(label, { color: COLORS.muted, width: LABEL_WIDTH });
    sheet.y += sheet.text(value, { x: CONTENT.left + LABEL_WIDTH });
  }
  sheet.y += 20;
  const top = sheet.y;
  writeParty(sheet, { x: CONTENT.left, label: 'Issued by', name: issuer.name, lines: issuerLines(issuer) });
  const bottom = sheet.y;
  sheet.y = top;
  const lines = [`Account ${recipient.accountId}`];
  writeParty(sheet, { x: CONTENT.left + HALF, label: recipientLabel, name: recipient.name, lines });
  sheet.y = Math.max(bottom, sheet.y) + 22;
}

/** Writes the figure that a document is about. */
export function writeFigure(sheet: Sheet, text: string): void {
  sheet.y += sheet.text(text, { font: 'strong', size: SIZES.large, maxLines: 2 }) + 14;
}

/** Writes the heading of a section, which stays with the beginning of what follows. */
export function writeHeading(sheet: Sheet, text: string): void {
  sheet.y += 20;
  sheet.reserve(90);
  sheet.y += sheet.text(text, { font: 'strong', size: SIZES.heading }) + 6;
}

/** Writes a sentence under what it is about. */
export function writeNote(sheet: Sheet, text: string): void {
  sheet.y += 6;
  sheet.reserve(30);
  sheet.y += sheet.text(text, { color: COLORS.muted, size: SIZES.small, maxLines: 4 });
}

function writeParty(
  sheet: Sheet,
  { x, label, name, lines }: { x: number; label: string; name: string; lines: readonly string[] },
): void {
  const width = HALF - 16;
  sheet.y += sheet.text(label, { x, width, color: COLORS.muted, size: SIZES.small }) + 2;
  sheet.y += sheet.text(name, { x, width, font: 'strong', maxLines: 3 });
  for (const line of lines) sheet.y += sheet.text(line, { x, width, maxLines: 2 });
}

function issuerLines({ addressLines, taxId, email }: Issuer): string[] {
  return [...addressLines, ...(taxId === null ? [] : [`Tax ID ${taxId}`]), ...(email === null ? [] : [email])];
}
