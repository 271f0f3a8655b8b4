import PdfDocument from 'pdfkit';
import { type AmountText, amountText } from '../amounts.ts';
import { createClean, type FontName, readFonts } from './fonts.ts';

/** A4, in points. */
const PAGE = { width: 595.28, height: 841.89 } as const;
const MARGIN = 52;
/** Where the content of a page ends, above its footer. */
const BOTTOM = PAGE.height - 76;
const FOOTER_Y = PAGE.height - 52;
/** The height of a line, by the size of its letters. */
const LINE = 1.35;

export const CONTENT = { left: MARGIN, right: PAGE.width - MARGIN, width: PAGE.width - 2 * MARGIN } as const;
export const COLORS = { ink: '#1a1f2b', muted: '#5b6472', rule: '#d9dde3' } as const;
export const SIZES = { title: 21, large: 14, heading: 11, text: 9, small: 8 } as const;

interface TextStyle {
  font?: FontName;
  size?: number;
  color?: string;
}

interface TextBox extends TextStyle {
  /** Its left edge; by default where the content of the page begins. */
  x?: number;
  width?: number;
  align?: 'left' | 'right';
  /** Of a longer text the rest is left out, which an ellipsis shows. By default 1. */
  maxLines?: number;
}

interface SheetOptions {
  title: string;
  author: string;
  /** Unix milliseconds. */
  createdAtMs: bigint;
  /** At the foot of every page, before the page's number. */
  footer: string;
}

/** The pages of a document, which are filled from above. */
export class Sheet {
  /** Where the next content begins. */
  y = MARGIN;
  readonly #pdf: PDFKit.PDFDocument;
  readonly #clean: (text: string) => string;
  readonly #footer: string;
  readonly #chunks: Uint8Array[] = [];
  readonly #ended: Promise<void>;

  constructor({ title, author, createdAtMs, footer }: SheetOptions) {
    const fonts = readFonts();
    this.#clean = createClean(fonts.regular);
    this.#footer = footer;
    this.#pdf = new PdfDocument({
      size: 'A4',
      margin: 0,
      bufferPages: true,
      // None is loaded but those that are registered.
      font: null as unknown as string,
      lang: 'en',
      displayTitle: true,
      // The time of the document, not of its rendering: the same content is the same file.
      info: { Title: this.#clean(title), Author: this.#clean(author), CreationDate: new Date(Number(createdAtMs)) },
    });
    for (const [name, file] of Object.entries(fonts)) this.#pdf.registerFont(name, file);
    this.#pdf.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk));
    this.#ended = new Promise((resolve, reject) => this.#pdf.on('end', resolve).on('error', reject));
  }

  /** Begins a page unless so much more fits on this one. Returns whether it did. */
  reserve(height: number): boolean {
    if (this.y + height <= BOTTOM) return false;
    this.#pdf.addPage();
    this.y = MARGIN;
    return true;
  }

  /** Writes a text at `y`, which stays. Returns the height of its lines. */
  text(
    text: string,
    { x = CONTENT.left, width = CONTENT.right - x, align = 'left', maxLines = 1, ...style }: TextBox,
  ): number {
    const lineHeight = this.#style(style);
    const lines = this.#wrap(this.#clean(text), width, maxLines);
    for (const [index, line] of lines.entries()) this.#line(line, this.y + index * lineHeight, { x, width, align });
    return lines.length * lineHeight;
  }

  /** How high a text would be. */
  heightOf(text: string, { width, maxLines = 1, ...style }: TextBox & { width: number }): number {
    const lineHeight = this.#style(style);
    return this.#wrap(this.#clean(text), width, maxLines).length * lineHeight;
  }

  /** Writes an amount that ends at `right`; its decimals beyond cents stand back. */
  amount(nanos: bigint, decimals: number, { right, ...style }: TextStyle & { right: number }): void {
    const { main, rest }: AmountText = amountText(nanos, decimals);
    const back = { ...style, font: 'regular', color: COLORS.muted } as const;
    this.#style(back);
    const restLeft = right - this.#pdf.widthOfString(rest);
    // In the order in which they are read: so is the text of the file.
    this.#style(style);
    this.#line(main, this.y, { x: CONTENT.left, width: restLeft - CONTENT.left, align: 'right' });
    this.#style(back);
    this.#line(rest, this.y, { x: restLeft, width: right - restLeft, align: 'left' });
  }

  /** Draws a line across the content, or a part of it. */
  rule({ from = CONTENT.left, to = CONTENT.right, color = COLORS.rule as string } = {}): void {
    this.#pdf.moveTo(from, this.y).lineTo(to, this.y).lineWidth(0.6).strokeColor(color).stroke();
  }

  /** Adds the footers, and returns the file. */
  async end(): Promise<Uint8Array<ArrayBuffer>> {
    const { start, count } = this.#pdf.bufferedPageRange();
    for (let page = start; page < start + count; page++) {
      this.#pdf.switchToPage(page);
      this.y = FOOTER_Y;
      this.rule();
      this.y += 8;
      const style = { size: SIZES.small, color: COLORS.muted };
      this.text(this.#footer, { ...style, width: CONTENT.width - 80 });
      this.text(`Page ${page + 1} of ${count}`, { ...style, align: 'right' });
    }
    this.#pdf.end();
    await this.#ended;
    return concatenate(this.#chunks);
  }

  /** Sets the style; returns the height of a line. */
  #style({ font = 'regular', size = SIZES.text, color = COLORS.ink }: TextStyle): number {
    this.#pdf.font(font).fontSize(size).fillColor(color);
    return size * LINE;
  }

  #line(text: string, y: number, { x, width, align }: { x: number; width: number; align: 'left' | 'right' }): void {
    if (text === '') return;
    const left = align === 'left' ? x : x + width - this.#pdf.widthOfString(text);
    this.#pdf.text(text, left, y, { lineBreak: false });
  }

  /** The lines of a text: broken between words, and in words that are too long. */
  #wrap(text: string, width: number, maxLines: number): string[] {
    if (this.#fits(text, width)) return [text];
    const lines: string[] = [];
    let rest = text;
    while (rest !== '' && lines.length < maxLines) {
      const end = this.#fits(rest, width) ? rest.length : this.#breakOf(rest, width);
      lines.push(rest.slice(0, end).trimEnd());
      rest = rest.slice(end).trimStart();
    }
    if (rest !== '') lines[lines.length - 1] = this.#shortened(lines.at(-1) ?? '', width);
    return lines;
  }

  /** Where the first line of a text ends that does not fit in one. */
  #breakOf(text: string, width: number): number {
    let [fits, tooLong] = [1, text.length];
    while (tooLong - fits > 1) {
      const middle = (fits + tooLong) >> 1;
      if (this.#fits(text.slice(0, middle), width)) fits = middle;
      else tooLong = middle;
    }
    const space = text.lastIndexOf(' ', fits);
    return space > 0 ? space : fits;
  }

  #shortened(line: string, width: number): string {
    let short = line;
    while (short !== '' && !this.#fits(`${short}…`, width)) short = short.slice(0, -1);
    return `${short.trimEnd()}…`;
  }

  #fits(text: string, width: number): boolean {
    return this.#pdf.widthOfString(text) <= width;
  }
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
