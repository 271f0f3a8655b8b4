import { describe, expect, it } from 'vitest';
import { pdfPages } from '../../testing/pdf-text.ts';
import { documentOf, linesOf } from '../../testing/statement-documents.ts';
import { DocumentPrinter } from './document-printer.ts';
import { renderStatement } from './pdf/statement.ts';

const document = documentOf(linesOf(1));
const unaborted = () => new AbortController().signal;

describe('the printer of documents', () => {
  it('renders them in a thread, one after the other', async () => {
    const printer = new DocumentPrinter();
    const printed = await Promise.all([printer.print(document, unaborted()), printer.print(document, unaborted())]);
    const file = Buffer.from(await renderStatement(document));
    for (const each of printed) expect(Buffer.from(each).equals(file)).toBe(true);
    expect((await pdfPages(file))[0]).toContain('Account statement');
  });

  it('goes on after a document that nobody waits for any more, and after one that fails', async () => {
    const printer = new DocumentPrinter();
    const controller = new AbortController();
    const left = expect(printer.print(document, controller.signal)).rejects.toThrow('the client has left');
    const failed = expect(printer.print({ ...document, days: null } as never, unaborted())).rejects.toThrow();
    const next = printer.print(document, unaborted());
    setImmediate(() => controller.abort(new Error('the client has left')));
    await left;
    await failed;
    expect((await next).length).toBeGreaterThan(10_000);
  });
});
