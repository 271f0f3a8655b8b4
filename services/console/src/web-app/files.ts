import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

const ENCODINGS = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof ENCODINGS;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the web app, in memory with its compressed forms. */
export interface WebFile {
  type: string;
  body: Buffer;
  encoded: Partial<Record<Encoding, Buffer>>;
  etag: string;
  /** Its name contains a hash of its content. */
  isImmutable: boolean;
}

/** Reads the built web app, about 2 MB, by path such as `/index.html`; undefined if it is not built. */
export function readWebApp(folder: string): ReadonlyMap<string, WebFile> | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const files = new Map<string, WebFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    files.set(path, readWebFile(file, type, path.startsWith('/assets/')));
  }
  return files;
}

function readWebFile(file: string, type: string, isImmutable: boolean): WebFile {
  const body = readFileSync(file);
  const encoded: WebFile['encoded'] = {};
  for (const encoding of ['br', 'gzip'] as const) {
    const compressed = file + ENCODINGS[encoding];
    if (existsSync(compressed)) encoded[encoding] = readFileSync(compressed);
  }
  return { type, body, encoded, etag: etagOf(body), isImmutable };
}

/** Weak, because it is the same for each encoding. */
export function etagOf(body: Buffer): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}
