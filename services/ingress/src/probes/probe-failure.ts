import type { UpstreamError } from '@tollgate/protocols/interface/errors';
import type { UpstreamHeaders } from '../exchange/upstream/call.ts';
import type { CollectedResponse } from '../exchange/upstream/collect.ts';
import { toFailure } from '../exchange/upstream/error-response.ts';
import { failureInResponse, statusOf, type UpstreamFailure } from '../exchange/upstream/failure.ts';

/** Why a request has no usable response. */
export interface ProbeFailure {
  kind: UpstreamFailure['kind'] | 'not_expressible' | 'not_a_stream';
  /** 0: no response. */
  status: number;
  /** The provider's message, or what happened. */
  message: string;
}

/** A request without a usable response. */
export interface Failed {
  kind: 'failed';
  failure: ProbeFailure;
  /** False: it failed before it was sent. */
  isSent: boolean;
}

/** The result of a request with the time that it took. A failure's message is without credentials and addresses. */
export type Timed<T extends { kind: 'response' }> = (T | Failed) & { durationMs: number };

/** Measures a request, and redacts the message of its failure. */
export async function timed<T extends { kind: 'response' }>(
  redact: (text: string) => string,
  run: () => Promise<T | Failed>,
): Promise<Timed<T>> {
  const startedAt = performance.now();
  const result = await run();
  const durationMs = Math.round(performance.now() - startedAt);
  if (result.kind === 'response') return { ...result, durationMs };
  const { failure } = result;
  return { ...result, failure: { ...failure, message: redact(failure.message) }, durationMs };
}

/** A request that could not be sent. */
export function notSent(kind: ProbeFailure['kind'], message: string): Failed {
  return { kind: 'failed', failure: { kind, status: 0, message }, isSent: false };
}

/** A request whose response cannot be used. */
export function failed(failure: ProbeFailure): Failed {
  return { kind: 'failed', failure, isSent: true };
}

/** A response that is not of the provider's protocol. */
export function malformed(message: string): ProbeFailure {
  return { kind: 'malformed', status: 200, message };
}

/** An error with a success status. */
export function inResponse(error: UpstreamError): ProbeFailure {
  return { kind: failureInResponse(error).kind, status: 200, message: textOf(error) };
}

/** A response with status 200, or why there is none. */
export function readAnswer(
  collected: CollectedResponse,
  readError: (body: Buffer) => UpstreamError,
): { kind: 'answer'; headers: UpstreamHeaders; body: Buffer } | Failed {
  if (collected.kind === 'failed') {
    const { failure } = collected;
    const message = 'detail' in failure ? failure.detail : failure.message;
    return failed({ kind: failure.kind, status: statusOf(failure), message });
  }
  const { status, headers, body } = collected;
  if (status === 200) return { kind: 'answer', headers, body };
  const error = readError(body);
  const { kind } = toFailure(status, headers, body, { read: () => error, clientMessage: () => '' }, 0);
  return failed({ kind, status, message: textOf(error) });
}

/** The provider's message with the field at fault. It answers a test, so it repeats nobody's prompt. */
function textOf({ message, param, type, code }: UpstreamError): string {
  const text = message === '' ? [type, code].filter((name) => name !== '').join(' ') : message;
  return param === '' || text.includes(param) ? text : `${param}: ${text}`;
}
