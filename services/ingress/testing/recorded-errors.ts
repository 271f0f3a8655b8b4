import { readFileSync } from 'node:fs';

/**
 * An error of a provider, in its shape and words; ids, names and numbers are made up. They are from the providers' error references
 * and from reports in public issue trackers, such as openai/openai-dotnet#55, compl-ai/compl-ai#20 and yym68686/uni-api#41, as known
 * on 2026-11-24.
 */
export interface RecordedError {
  provider: string;
  /** 200: it comes as the body, or as an event of a stream. */
  status: number;
  /** What the client gets. */
  expected: ClientSees;
  body: unknown;
}

/** Kinds of errors for clients: whose fault it is decides, not the provider's status. */
export type ClientSees =
  /** 400 `invalid_request_error` with the provider's words. */
  | 'invalid'
  /** 400 with the reason `context_length_exceeded`. */
  | 'too long'
  /** 400 `model_not_available`. */
  | 'no model'
  /** 429. */
  | 'limited'
  /** 502: the operator's account, or the provider. */
  | 'ours';

export const RECORDED_ERRORS: readonly RecordedError[] = readFileSync(
  new URL('recorded-errors.jsonl', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
