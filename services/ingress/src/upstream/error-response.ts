import { errorNames, type UpstreamError } from '@tollgate/protocols/interface/errors';
import type { BodySink, UpstreamHeaders } from './call.ts';
import { contextFailure, retryAfterOf, type UpstreamFailure } from './failure.ts';

/** Reads the errors of one upstream protocol for a client. */
export interface ErrorReader {
  read(body: Buffer): UpstreamError;
  /** The message to the client about a request that the upstream rejected. */
  clientMessage(error: UpstreamError): string;
}

/** The upstream's message with the model name that the client used. */
export function withClientModel(message: string, upstreamModel: string, clientModel: string): string {
  return upstreamModel === clientModel ? message : message.replaceAll(upstreamModel, clientModel);
}

/**
 * Classifies an error response. Only errors that the client can fix are reported to it, with the upstream's message.
 * All others concern us or the provider: the log has the error's code and type, but not its text, which may quote the
 * prompt.
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
      return contextFailure(status, error) ?? { kind: 'request_refused', status, message: reader.clientMessage(error) };
    case 401:
    case 402:
    case 403:
      return { kind: 'credential_refused', status, detail };
    case 408:
      return { kind: 'timeout', detail };
    case 429:
      return concernsOurAccount(error)
        ? { kind: 'credential_refused', status, detail }
        : { kind: 'rate_limited', status, retryAfterMs: retryAfterOf(headers, nowMs), detail };
    default:
      // Some local servers respond 500 to a prompt that is too long.
      return contextFailure(status, error) ?? { kind: 'server_error', status, detail };
  }
}

/** Providers also respond 400 and 429 to problems of our account: an invalid key, no access, an empty balance. */
function concernsOurAccount({ code, type, message }: UpstreamError): boolean {
  return ACCOUNT_ERRORS.has(code) || ACCOUNT_ERRORS.has(type) || ACCOUNT_WORDINGS.test(message);
}

const ACCOUNT_ERRORS: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'FAILED_PRECONDITION',
  'insufficient_quota',
  'exceeded_current_quota_error',
  'Arrearage',
]);
const ACCOUNT_WORDINGS =
  /api key not valid|incorrect api key|credit balance is too low|insufficient balance|account is in good standing/i;

const MAX_ERROR_BYTES = 64 * 1024;

/** Reads an error response to its end, keeping only the start of a long one, and classifies it. */
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
    // The status is more useful than the interruption of the body.
    failed: finish,
  };
}
