import { readUpstreamError, type UpstreamError } from '@tollgate/protocols/upstream-error';
import type { BodySink, UpstreamHeaders } from './call.ts';
import { retryAfterOf, type UpstreamFailure } from './failure.ts';

/** Names under which the upstream knows what the client asked for, and what the client calls it. */
export interface ModelNames {
  upstream: string;
  client: string;
}

/**
 * Reads an answer with an error status. Only what the client can mend is told to it, in the upstream's words with the
 * model under the client's name; everything else is our trouble or the provider's, and its words go to the log.
 */
export function refusalOf(
  status: number,
  headers: UpstreamHeaders,
  body: Buffer,
  names: ModelNames,
  nowMs: number,
): UpstreamFailure {
  const error = readUpstreamError(body);
  const detail = error.message;
  switch (status) {
    case 400:
    case 413:
    case 422:
      return { kind: 'request_refused', status, message: clientMessage(error, names) };
    case 401:
    case 402:
    case 403:
      return { kind: 'credential_refused', status, detail };
    case 408:
      return { kind: 'timeout', detail };
    case 429:
      return error.code === 'insufficient_quota' || error.type === 'insufficient_quota'
        ? { kind: 'credential_refused', status, detail }
        : { kind: 'rate_limited', status, retryAfterMs: retryAfterOf(headers, nowMs), detail };
    default:
      return { kind: 'server_error', status, detail };
  }
}

function clientMessage(error: UpstreamError, names: ModelNames): string {
  const words = error.message === '' ? 'The provider of this model refused the request.' : error.message;
  const message = names.upstream === names.client ? words : words.replaceAll(names.upstream, names.client);
  const { param } = error;
  return param === '' || message.includes(param) ? message : `${param}: ${message}`;
}

const MAX_REFUSAL_BYTES = 64 * 1024;

/** Reads an error answer to its end, in part where it is long, and tells what it means. */
export function collectRefusal(
  status: number,
  headers: UpstreamHeaders,
  names: ModelNames,
  done: (failure: UpstreamFailure) => void,
): BodySink {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = () => done(refusalOf(status, headers, Buffer.concat(chunks), names, Date.now()));
  return {
    data: (chunk) => {
      size += chunk.length;
      if (size <= MAX_REFUSAL_BYTES) chunks.push(chunk);
    },
    end: finish,
    // The status was there, and it says more than that the rest of the body is missing.
    failed: finish,
  };
}
