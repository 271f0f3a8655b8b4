import type { Part } from './conversation.ts';

/** A file that a request holds: its text where it is plain text, which counts as such, else only that it is there. */
export function inlineFile(mimeType: string, base64: string, name: string | undefined): Part {
  if (!mimeType.startsWith('text/')) return { kind: 'file', source: 'inline', name };
  return { kind: 'file', source: 'text', name, text: Buffer.from(base64, 'base64').toString('utf8') };
}

/** As {@link inlineFile}, of a `data:` URL. */
export function dataUrlFile(url: string, name: string | undefined): Part {
  const comma = url.indexOf(',');
  return inlineFile(url.slice('data:'.length, url.indexOf(';')), url.slice(comma + 1), name);
}
