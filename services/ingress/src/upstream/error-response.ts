import { errorNames, type UpstreamError } from '@tollgate/protocols/upstream-error';
import type { BodySink, UpstreamHeaders } from './call.ts';
import { retryAfterOf, type UpstreamFailure } from './failure.ts';

/** Understands the errors of one upstream protocol, and puts them into the client's words. */
export interface ErrorReader {
  read(body: Buffer): UpstreamError;
  /** What the client is told of a request that the upstream refused. */
  clientMessage(error: UpstreamError): string;
}

/** The upstream's words with the model under the name that the client called. */
export function withClientModel(message: string, upstreamModel: string, clientModel: string): string {
  return upstreamModel === clientModel ? message : message.replaceAll(upstreamModel, clientModel);
}

/**
 * Reads an answer with an error status. Only what the client can mend is reported to it, in the upstream's words. Everything
 * else is our trouble or the provider's: the log has the names of the error and no text, which may repeat the prompt.
 */
export function toFailure(
  status: number,
  headers: UpstreamHeaders,
  body: Buffer,
  reader: ErrorReader,
  nowMs: number,
): UpstreamFailure {
  const error = reader.read(body);
  const detail = errorNames(error);
  switch (status) {
    case 400:
    case 413:
    case 422:
      if (concernsOurAccount(error)) return { kind: 'credential_refused', status, detail };
      return { kind: 'request_refused', status, message: reader.clientMessage(error) };
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

/**
 * Some providers answer 400 where they mean our account with them: Google for a key that is not valid or a project that
 * may not call, Anthropic for an empty balance.
 */
function concernsOurAccount({ code, type, message }: UpstreamError): boolean {
  return (
    code === 'API_KEY_INVALID' ||
    type === 'FAILED_PRECONDITION' ||
    /api key not valid|credit balance is too low/i.test(message)
  );
}

const MAX_ERROR_BYTES = 64 * 1024;

/** Reads an error answer to its end, in part where it is long, and tells what it means. */
export function collectErrorResponse(
  status: number,
  headers: UpstreamHeaders,
  reader: ErrorReader,
  done: (failure: UpstreamFailure) => void,
): BodySink {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = () => done(toFailure(status, headers, Buffer.concat(chunks), reader, Date.now()));
  return {
    data: (chunk) => {
      size += chunk.length;
      if (size <= MAX_ERROR_BYTES) chunks.push(chunk);
    },
    end: finish,
    // The status was there, and it says more than that the rest of the body is missing.
    failed: finish,
  };
}
