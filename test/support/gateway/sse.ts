import type { IncomingMessage } from 'node:http';
import { parse, readText } from './http.ts';

/** The contents of an event stream. */
export interface StreamResponse {
  status: number;
  headers: IncomingMessage['headers'];
  /** The `data:` of each event, without comments. */
  data: string[];
  /** The same parsed as JSON, without `[DONE]`. */
  chunks: unknown[];
  raw: string;
}

/** Reads a complete stream; rejects if it is aborted. */
export async function readStream(message: IncomingMessage): Promise<StreamResponse> {
  const raw = await readText(message);
  const data = dataOf(raw);
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    data,
    chunks: data.filter((each) => each !== '[DONE]').map(parse),
    raw,
  };
}

/** Reads the first `count` events, and leaves the rest unread. */
export function readEvents(message: IncomingMessage, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let raw = '';
    message.setEncoding('utf8');
    message.on('error', reject);
    message.on('end', () => reject(new Error(`the stream ended after ${dataOf(raw).length} events of ${count}`)));
    message.on('data', (text: string) => {
      raw += text;
      const events = dataOf(raw.slice(0, raw.lastIndexOf('\n\n') + 2));
      if (events.length >= count) resolve(events);
    });
  });
}

function dataOf(raw: string): string[] {
  return raw
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '');
}
