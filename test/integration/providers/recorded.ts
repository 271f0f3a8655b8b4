import { at } from '@tollgate/test-support/gateway/json';
import type { ProtocolName } from '../../sdk/scenario.ts';

/**
 * What a provider returns, in its own shape. Fields, order of events and oddities are as in recordings of public projects that
 * its file names, else as the provider was known to answer; texts, ids and numbers are made up.
 */
export interface RecordedProvider {
  /** Its page is `docs/providers/<id>.md`, its starter catalogue `deploy/catalogue/<id>.yaml`, or that in `local`. */
  id: string;
  /** As in the table of docs/providers. */
  name: string;
  /** The model of its starter catalogue that is called. */
  model: string;
  endpoints: readonly RecordedEndpoint[];
}

/** One endpoint of a provider, which is a provider entry of the starter catalogue. */
export interface RecordedEndpoint {
  /** Id of the entry. */
  entry: string;
  /** An entry that the starter catalogue lacks: one that it has, with other fields. */
  variant?: { of: string; fields: { protocol: ProtocolName; base_url?: string } };
  /** Its own row in the table, where it is not the main endpoint of the provider. */
  row?: string;
  scenes: readonly Scene[];
  errors: readonly RecordedError[];
  /**
   * Usage is elsewhere, or counted otherwise, than in the protocol: clients of the same protocol get it as it is, and only the
   * bill is compared.
   */
  unusualUsage?: true;
  /** An error after text was streamed; absent where the provider has none of its own. */
  brokenStream?: readonly unknown[];
  /** The first field of a request that the provider is known to reject. */
  rejects?: (request: unknown) => string | undefined;
}

/** Kinds of scenes. Each proves cells of the table. */
export type SceneName = 'text' | 'tools' | 'reasoning';

/** A conversation of one turn, or of two if the first one calls a tool. */
export interface Scene {
  name: SceneName;
  /** The clients that can read it; all by default. */
  clients?: readonly ProtocolName[];
  /** The provider's own protocol, if its official SDK cannot read the answer: such clients get it unchanged. */
  asIs?: ProtocolName;
  answer: Recording;
  /** The answer to the result of the tool. */
  after?: Recording;
  /** Fields of the assistant's turn in the second request: its reasoning, where the provider expects it. */
  returned?: object;
  /** Fields that the assistant's turn in the second request must not have. */
  notReturned?: readonly string[];
}

/** The same answer whole and as the events of a stream, and what they say. */
export interface Recording {
  whole: object;
  /** Texts are sent as they are: comments, or data that is not JSON. */
  stream: readonly (object | string)[];
  text: string;
  thoughts?: string;
  calls?: readonly { name: string; input: object }[];
  /** Disjoint quantities, as the provider's documentation defines its counts. */
  usage: Quantities;
  /** Where the stream counts otherwise than the whole answer. */
  streamUsage?: Quantities;
}

/** Tokens by bucket of a charge. */
export interface Quantities {
  input: number;
  output: number;
  cache_read?: number;
  cache_write_5m?: number;
  reasoning?: number;
  search?: number;
}

/** An error before the first byte, and what a client gets instead. */
export interface RecordedError {
  name: string;
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: object | string;
  expected: {
    status: number;
    type: 'invalid_request_error' | 'model_not_available' | 'rate_limit_exceeded' | 'internal_error';
    /** Text of the message in every protocol. */
    message?: string;
    /** `error.reason`. */
    reason?: 'context_length_exceeded';
    /** The header, in seconds. */
    retryAfter?: string;
  };
}

/** Errors of the operator's account or of the provider: the client learns nothing of them. */
export const OUR_FAULT = { status: 502, type: 'internal_error' } as const;
/** The provider does not have the model, which the catalogue names wrongly. */
export const NO_MODEL = { status: 400, type: 'model_not_available' } as const;
/** The provider's rate limit. */
export const LIMITED = { status: 429, type: 'rate_limit_exceeded' } as const;
/** A prompt that is too long, in the words of the client's protocol. */
export const TOO_LONG = { status: 400, type: 'invalid_request_error', reason: 'context_length_exceeded' } as const;

/** The client's fault: the message names the field. */
export function invalid(field: string): RecordedError['expected'] {
  return { status: 400, type: 'invalid_request_error', message: field };
}

/** The protocol of each client. */
export const CLIENTS: readonly ProtocolName[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

/** The tool of the scenes. */
export const TOOL = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** The call of the scenes. */
export const CALL = { name: 'get_weather', input: { city: 'Ulm' } };
export const ARGUMENTS = '{"city":"Ulm"}';

/** What the model says, in pieces: to the first prompt, and to the result of the tool. */
export const TEXT = ['Blue', ', mostly.'];
export const AFTER = ['Sun', ' in Ulm.'];
/** What it thinks, in pieces and whole. */
export const THOUGHTS = ['Rain?', ' I look it up.'];
export const THOUGHT = THOUGHTS.join('');

/** An error and what a client gets instead. */
export function errorOf(
  name: string,
  status: number,
  expected: RecordedError['expected'],
  body: object | string,
  headers?: Readonly<Record<string, string>>,
): RecordedError {
  return { name, status, expected, body, ...(headers && { headers }) };
}

/** The first of these fields that a request has. */
export function unsupportedIn(request: unknown, fields: readonly string[]): string | undefined {
  return fields.find((field) => at(request, field) !== undefined);
}
