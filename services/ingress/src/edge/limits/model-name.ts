const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Longest name of a model with each character escaped. */
const MAX_NAME_BYTES = 200 * 6 + 2;

/**
 * Finds the value of the first `model` at the top level of a JSON object, in one pass that stops there. It does not
 * validate: a body that is malformed or names two models is rejected where bodies are parsed.
 *
 * @returns undefined if there is none, or it is not a string
 */
export function readModelName(body: Buffer): string | undefined {
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
        break;
      case QUOTE: {
        const end = endOfString(body, at);
        if (end === -1) return undefined;
        if (depth === 1) {
          const value = skipSpace(body, end);
          // A string followed by a colon is a key.
          if (body[value] === 0x3a && isModel(body, at, end)) return valueAt(body, skipSpace(body, value + 1));
        }
        at = end - 1;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** The index after the closing quote of the string that begins here; -1 if it has none. */
function endOfString(body: Buffer, start: number): number {
  let at = start;
  for (;;) {
    at = body.indexOf(QUOTE, at + 1);
    if (at === -1) return -1;
    let backslashes = 0;
    while (body[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++;
  return at;
}

/** Whether a key is `model`, escapes included. */
function isModel(body: Buffer, start: number, end: number): boolean {
  return textOf(body, start, end) === 'model';
}

function valueAt(body: Buffer, start: number): string | undefined {
  if (body[start] !== QUOTE) return undefined;
  const end = endOfString(body, start);
  return end === -1 ? undefined : textOf(body, start, end);
}

function textOf(body: Buffer, start: number, end: number): string | undefined {
  if (end - start > MAX_NAME_BYTES) return undefined;
  const quoted = body.toString('utf8', start, end);
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
