import type { Turn, UserPart } from '../scenario.ts';

/** A user turn; `controls` become a directive in its text that sets the behaviour of the simulated provider. */
export function user(text: string, controls?: Record<string, unknown>, ...parts: UserPart[]): Turn {
  const content = controls === undefined ? text : `${text} [simulate ${JSON.stringify(controls)}]`;
  return { role: 'user', parts: [{ text: content }, ...parts] };
}

/** An image of one pixel. */
export const PNG = {
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};

/** A document with one empty page. */
export const PDF = {
  mediaType: 'application/pdf',
  filename: 'empty.pdf',
  data: Buffer.from(
    '%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
  ).toString('base64'),
};

/** Half a second of silence. */
export const WAV = { format: 'wav' as const, data: Buffer.from(wav(4_000)).toString('base64') };

export const IMAGE_URL = { url: 'https://example.com/point.png', mediaType: 'image/png' };
export const PDF_URL = { url: 'https://example.com/empty.pdf', mediaType: 'application/pdf' };

function wav(samples: number): Uint8Array {
  const bytes = Buffer.alloc(44 + samples);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(8_000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples, 40);
  bytes.fill(128, 44);
  return bytes;
}
