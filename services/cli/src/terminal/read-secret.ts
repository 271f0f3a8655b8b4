import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

const SILENT = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Reads a line of the input. What is typed at a terminal is not shown. */
export async function readSecret(prompt: string): Promise<string> {
  const isTyped = process.stdin.isTTY === true;
  if (isTyped) process.stderr.write(prompt);
  const lines = createInterface({ input: process.stdin, output: SILENT, terminal: isTyped });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (isTyped) process.stderr.write('\n');
  }
}
