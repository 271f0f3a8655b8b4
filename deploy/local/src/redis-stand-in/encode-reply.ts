/** A status such as OK, as opposed to a string. */
export class Status {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Encodes a result in the Redis protocol (RESP2). False and nil of Lua become null. */
export function encodeReply(result: unknown): Buffer {
  if (result === null || result === undefined || result === false) return Buffer.from('$-1\r\n');
  if (result === true) return Buffer.from(':1\r\n');
  if (result instanceof Status) return Buffer.from(`+${oneLine(result.text)}\r\n`);
  if (result instanceof Error) return Buffer.from(`-${withCode(oneLine(result.message))}\r\n`);
  if (typeof result === 'number') return Buffer.from(`:${Math.trunc(result)}\r\n`);
  if (typeof result === 'bigint') return Buffer.from(`:${result}\r\n`);
  if (Array.isArray(result)) return Buffer.concat([Buffer.from(`*${result.length}\r\n`), ...result.map(encodeReply)]);
  const text = Buffer.isBuffer(result) ? result : Buffer.from(String(result));
  return Buffer.concat([Buffer.from(`$${text.length}\r\n`), text, Buffer.from('\r\n')]);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}

/** Errors start with a code in capitals. */
function withCode(message: string): string {
  return /^[A-Z]+ /.test(message) ? message : `ERR ${message}`;
}
