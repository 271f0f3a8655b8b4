const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const STAR = 42;
const DOLLAR = 36;

/** Maximum length of a line outside of strings. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_STRING_BYTES = 16 * 1024 * 1024;
const MAX_ARGUMENTS = 10_000;

/** The client violated the Redis protocol; the connection cannot continue. */
export class RespError extends Error {
  override readonly name = 'RespError';
}

/** Parses commands of the Redis protocol (RESP2) from chunks of bytes: arrays of strings, and inline commands. */
export class CommandParser {
  #buffer: Buffer = Buffer.alloc(0);
  #position = 0;
  /** Complete strings of the current command, and their expected number. */
  #pending: Buffer[] = [];
  #expected = 0;

  /** Consumes bytes. @returns the commands that are complete, each starting with its name @throws RespError */
  push(chunk: Buffer): Buffer[][] {
    this.#buffer = this.#position === this.#buffer.length ? chunk : Buffer.concat([this.#rest(), chunk]);
    this.#position = 0;
    const commands: Buffer[][] = [];
    for (let command = this.#next(); command !== undefined; command = this.#next()) {
      if (command.length > 0) commands.push(command);
    }
    return commands;
  }

  /** The next complete command, an empty one for an empty line, or undefined if more bytes are needed. */
  #next(): Buffer[] | undefined {
    if (this.#expected === 0) {
      const line = this.#line();
      if (line === undefined) return undefined;
      if (line[0] !== STAR) return words(line);
      this.#expected = count(line, MAX_ARGUMENTS);
      if (this.#expected === 0) return [];
    }
    while (this.#pending.length < this.#expected) {
      const text = this.#string();
      if (text === undefined) return undefined;
      this.#pending.push(text);
    }
    const command = this.#pending;
    this.#pending = [];
    this.#expected = 0;
    return command;
  }

  #string(): Buffer | undefined {
    const start = this.#position;
    const line = this.#line();
    if (line === undefined) return undefined;
    if (line[0] !== DOLLAR) throw new RespError('Protocol error: expected a string');
    const length = count(line, MAX_STRING_BYTES);
    const end = this.#position + length;
    if (this.#buffer.length < end + 2) {
      this.#position = start;
      return undefined;
    }
    if (this.#buffer[end] !== CARRIAGE_RETURN || this.#buffer[end + 1] !== LINE_FEED)
      throw new RespError('Protocol error: a string is longer than it says');
    const text = Buffer.from(this.#buffer.subarray(this.#position, end));
    this.#position = end + 2;
    return text;
  }

  #line(): Buffer | undefined {
    const end = this.#buffer.indexOf(LINE_FEED, this.#position);
    const length = (end === -1 ? this.#buffer.length : end) - this.#position;
    if (length > MAX_LINE_BYTES) throw new RespError('Protocol error: a line is too long');
    if (end === -1) return undefined;
    const hasReturn = end > this.#position && this.#buffer[end - 1] === CARRIAGE_RETURN;
    const line = this.#buffer.subarray(this.#position, hasReturn ? end - 1 : end);
    this.#position = end + 1;
    return line;
  }

  #rest(): Buffer {
    return this.#buffer.subarray(this.#position);
  }
}

function count(line: Buffer, max: number): number {
  const digits = line.toString('latin1', 1);
  const value = Number(digits);
  if (!/^\d{1,9}$/.test(digits) || value > max) throw new RespError('Protocol error: a length is out of bounds');
  return value;
}

function words(line: Buffer): Buffer[] {
  return line
    .toString('utf8')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => Buffer.from(word));
}
