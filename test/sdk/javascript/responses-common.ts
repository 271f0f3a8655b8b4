import { randomUUID } from 'node:crypto';
import { at } from '@tollgate/test-support/gateway/json';
import { Contradiction, type OtherResponse, type SdkError, type SdkResponse, Unsayable } from '../scenario.ts';

/** A response that says nothing yet. */
export function emptyResponse(): SdkResponse {
  return {
    ref: randomUUID(),
    error: null,
    id: '',
    model: '',
    text: '',
    refusal: '',
    thoughts: '',
    seals: [],
    calls: [],
    finish: '',
    stopSequence: '',
    usage: null,
    cost: null,
    choices: 0,
    logprobs: 0,
    cited: [],
    pieces: 0,
    inputPieces: 0,
    headers: {},
    disorder: '',
  };
}

export function emptyOther(): OtherResponse {
  return { error: null, models: [], tokens: null, embeddings: [], headers: {} };
}

/** A fetch that keeps the head of the last response. */
export class Wire {
  headers: Record<string, string> = {};

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    this.headers = Object.fromEntries(response.headers);
    return response;
  };
}

/** An error as an SDK threw it; the driver's own are thrown on. */
export function sdkError(error: unknown): SdkError {
  if (!(error instanceof Error) || error instanceof Unsayable || error instanceof Contradiction) throw error;
  const status = at(error, 'status');
  const body = at(error, 'error');
  const reported = [error.message, body === undefined ? '' : JSON.stringify(body)].join(' ').trim();
  return { kind: error.constructor.name, status: typeof status === 'number' ? status : null, reported };
}

/** JSON of a call's input; a text that is none stays a text. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
