/** A value of Python source. A call, such as `Decimal('2.5')`, keeps its name and arguments; a dictionary is a call of `dict`. */
export type PythonValue = string | number | boolean | null | PythonValue[] | PythonCall;

export interface PythonCall {
  name: string;
  positional: PythonValue[];
  named: { [key: string]: PythonValue };
}

/** Strings, numbers, names with dots, and punctuation; comments and white space are skipped. */
const TOKEN =
  /\s*(?:#[^\n]*\s*)*(?:('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)|([A-Za-z_][\w.]*)|([[\](),={}:]))/suy;

/**
 * Reads one value of Python source that consists of literals, lists and constructor calls, as generated data files do.
 *
 * @param start where the value begins
 * @throws Error at anything else
 */
export function parsePythonValue(text: string, start: number): PythonValue {
  return new Reader(text, start).value();
}

interface Token {
  kind: 'string' | 'number' | 'name' | 'mark' | 'end';
  text: string;
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  value(): PythonValue {
    const { kind, text } = this.#next();
    if (kind === 'string') return this.#strings(unquote(text));
    if (kind === 'number') return Number(text.replaceAll('_', ''));
    if (kind === 'name') return this.#named(text);
    if (text === '[' || text === '(') return this.#list(text === '[' ? ']' : ')');
    if (text === '{') return this.#dictionary();
    throw new Error(`there is no value at ${this.#at}: ${text}`);
  }

  #named(name: string): PythonValue {
    if (name === 'True') return true;
    if (name === 'False') return false;
    if (name === 'None') return null;
    return this.#peek().text === '(' ? this.#call(name) : name;
  }

  #call(name: string): PythonCall {
    this.#next();
    const call: PythonCall = { name, positional: [], named: {} };
    while (!this.#take(')')) {
      const before = this.#at;
      const { kind, text } = this.#next();
      if (kind === 'name' && this.#take('=')) {
        call.named[text] = this.value();
      } else {
        this.#at = before;
        call.positional.push(this.value());
      }
      if (!this.#take(',') && this.#peek().text !== ')') throw new Error(`there is no comma at ${this.#at}`);
    }
    return call;
  }

  #list(end: string): PythonValue[] {
    const values: PythonValue[] = [];
    while (!this.#take(end)) {
      values.push(this.value());
      if (!this.#take(',') && this.#peek().text !== end) throw new Error(`there is no comma at ${this.#at}`);
    }
    return values;
  }

  #dictionary(): PythonCall {
    const call: PythonCall = { name: 'dict', positional: [], named: {} };
    while (!this.#take('}')) {
      const key = this.value();
      if (typeof key !== 'string' || !this.#take(':')) throw new Error(`there is no key at ${this.#at}`);
      call.named[key] = this.value();
      if (!this.#take(',') && this.#peek().text !== '}') throw new Error(`there is no comma at ${this.#at}`);
    }
    return call;
  }

  /** Adjacent strings are one. */
  #strings(first: string): string {
    let all = first;
    while (this.#peek().kind === 'string') all += unquote(this.#next().text);
    return all;
  }

  #take(mark: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'mark' || text !== mark) return false;
    this.#next();
    return true;
  }

  #peek(): Token {
    const before = this.#at;
    const token = this.#next();
    this.#at = before;
    return token;
  }

  #next(): Token {
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.#text);
    if (match === null) return { kind: 'end', text: '' };
    this.#at = TOKEN.lastIndex;
    const [, string, number, name, mark] = match;
    if (string !== undefined) return { kind: 'string', text: string };
    if (number !== undefined) return { kind: 'number', text: number };
    if (name !== undefined) return { kind: 'name', text: name };
    return { kind: 'mark', text: mark ?? '' };
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"' };

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))/gisu, (_, hex, unicode, letter) => {
    const code: string | undefined = hex ?? unicode;
    return code === undefined ? (ESCAPES[letter] ?? `\\${letter}`) : String.fromCharCode(Number.parseInt(code, 16));
  });
}
