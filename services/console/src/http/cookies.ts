import type { IncomingMessage } from 'node:http';

/** The value of a cookie of this service; undefined when it is missing or sent more than once. */
export function readCookie(req: IncomingMessage, name: string): string | undefined {
  const values = (req.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
