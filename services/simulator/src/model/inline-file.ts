import type { Part } from './conversation.ts';

/** A file within a request: with its text, which is counted, if it is plain text. */
export function inlineFile(mimeType: string, base64: string, name: string | undefined): Part {
  if (!mimeType.startsWith('text/')) return { kind: 'file', source: 'inline', name };
  return { kind: 'file', source: 'text', name, text: Buffer.from(base64, 'base64').toString('utf8') };
}

/** Like {@link inlineFile}, for a `data:` URL. */
export function dataUrlFile(url: string, name: string | undefined): Part {
  const comma = url.indexOf(',');
  return inlineFile(url.slice('data:'.length, url.indexOf(';')), url.slice(comma + 1), name);
}
