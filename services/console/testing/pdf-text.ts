import { extractText, getDocumentProxy } from 'unpdf';

/** The text of each page of a PDF file, with single spaces. */
export async function pdfPages(file: Uint8Array): Promise<string[]> {
  const pdf = await getDocumentProxy(Uint8Array.from(file));
  const { text } = await extractText(pdf, { mergePages: false });
  return text.map((page) => page.replace(/\s+/g, ' '));
}
