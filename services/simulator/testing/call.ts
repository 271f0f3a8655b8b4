import { isObject } from '../src/validation/fields.ts';

/** Headers that every Anthropic call requires. */
export const ANTHROPIC_HEADERS = { 'anthropic-version': '2023-06-01' };

/** Sends a body as JSON and reads the response as JSON. */
export async function call(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
  const json: unknown = await response.json();
  return { status: response.status, headers: response.headers, json };
}

/** One event of a stream. */
export interface ReceivedEvent {
  name: string | undefined;
  data: string;
}

/** Sends a body and reads the response as server-sent events. */
export async function callStream(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<ReceivedEvent[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
  const text = await response.text();
  return text
    .split(/\r?\n\r?\n/)
    .filter((block) => block !== '')
    .map((block) => {
      const lines = block.split(/\r?\n/);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      return { name: field('event'), data: field('data') ?? '' };
    });
}

/** The value at a path; undefined if there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found) && typeof step === 'number') found = found.at(step);
    else found = isObject(found) ? found[String(step)] : undefined;
  }
  return found;
}

/** The JSON data of events, omitting other data. */
export function dataOf(events: readonly ReceivedEvent[]): unknown[] {
  return events.filter((event) => event.data.startsWith('{')).map((event) => JSON.parse(event.data));
}
