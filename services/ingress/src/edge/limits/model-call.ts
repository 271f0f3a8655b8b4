import type { ModelLimits } from '../../shared/catalogue/route-table.ts';
import type { Surface } from '../../shared/request/surface.ts';
import type { LimitedCall } from './applicable.ts';

/** Endpoints that count tokens and generate nothing. */
const COUNTS_TOKENS = /(?:\/count_tokens|\/input_tokens|:countTokens)\/?$/;
const UNDER_MODELS = /^(?:\/v1(?:beta)?)?\/models\/(.+?)\/?$/;

/** The part of the route table that limits need. */
export interface LimitedModels {
  hasModelLimits: boolean;
  find: (name: string) => { limits: ModelLimits | undefined } | undefined;
}

const NO_MODEL: LimitedCall = { usesTokens: false, model: undefined };
const ANY_MODEL: LimitedCall = { usesTokens: true, model: undefined };

/**
 * Classifies a request for its limits before its body is validated: every POST that neither counts tokens nor makes a key calls a
 * model. The model's name is searched only if some model has limits. A body without one is rejected later.
 */
export function limitedCallOf(
  { method, path }: { method: string; path: string },
  surface: Surface,
  body: Buffer,
  table: LimitedModels | undefined,
): LimitedCall {
  if (method !== 'POST' || surface === 'keys' || COUNTS_TOKENS.test(path)) return NO_MODEL;
  if (table === undefined || !table.hasModelLimits) return ANY_MODEL;
  const name = modelNamedIn(path, surface, body);
  const model = name === undefined ? undefined : table.find(name)?.limits;
  return model === undefined ? ANY_MODEL : { usesTokens: true, model };
}

/** The name of the model that a request calls, before its body is validated; undefined if there is none. */
export function modelNamedIn(path: string, surface: Surface, body: Buffer): string | undefined {
  return surface === 'generative' ? modelInPath(path) : readModelName(body);
}

/** The model of `/v1beta/models/{model}:{method}`, or of one without a method. */
function modelInPath(path: string): string | undefined {
  const text = UNDER_MODELS.exec(path)?.[1];
  if (text === undefined) return undefined;
  try {
    const rest = decodeURIComponent(text);
    const colon = rest.lastIndexOf(':');
    return (colon === -1 ? rest : rest.slice(0, colon)).replace(/^models\//, '');
  } catch {
    return undefined;
  }
}

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
