import { randomUUID } from 'node:crypto';
import { at } from '@tollgate/test-support/gateway/json';
import {
  Contradiction,
  type OtherResponse,
  type SdkError,
  type SdkResponse,
  type ToolRunResult,
  Unsupported,
} from '../scenario.ts';

/** An empty response, for a driver to fill. */
export function emptyResponse(): SdkResponse {
  return {
    ref: randomUUID(),
    error: null,
    id: '',
    model: '',
    text: '',
    refusal: '',
    thoughts: '',
    signatures: [],
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
    violation: '',
  };
}

export function emptyOther(): OtherResponse {
  return { error: null, models: [], tokens: null, embeddings: [], headers: {} };
}

export function emptyToolRun(): ToolRunResult {
  return { error: null, text: '', inputs: [] };
}

/** A fetch that records the headers of the last response. */
export class Wire {
  headers: Record<string, string> = {};

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    this.headers = Object.fromEntries(response.headers);
    return response;
  };
}

/** Converts an error of an SDK. @throws errors of the driver itself */
export function sdkError(error: unknown): SdkError {
  if (!(error instanceof Error) || error instanceof Unsupported || error instanceof Contradiction) throw error;
  const status = at(error, 'status');
  const body = at(error, 'error');
  const reported = [error.message, body === undefined ? '' : JSON.stringify(body)].join(' ').trim();
  return { kind: error.constructor.name, status: typeof status === 'number' ? status : null, reported };
}

/** Parses a call's input; a text that is not JSON is returned unchanged. */
export function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
