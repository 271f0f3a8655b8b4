import { readErrorCause } from '@tollgate/protocols/interface/error-cause';
import { awsErrorType, errorNames, type UpstreamError } from '@tollgate/protocols/interface/errors';
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
  const error = withAwsType(reader.read(body), headers);
  const detail = errorNames(error);
  const cause = readErrorCause(error);
  const limited = (): UpstreamFailure => ({
    kind: 'rate_limited',
    status,
    retryAfterMs: retryAfterOf(headers, error, nowMs),
    detail,
  });
  switch (status) {
    case 400:
    case 413:
    case 422: {
      const failure = contextFailure(status, error);
      if (failure !== undefined) return failure;
      if (cause === 'account') return { kind: 'credential_refused', status, detail };
      if (cause === 'model') return { kind: 'model_unknown', status, detail };
      // Groq responds 413 to a prompt that is longer than a minute's tokens of our account.
      if (cause === 'rate_limit') return limited();
      return { kind: 'request_refused', status, message: reader.clientMessage(error) };
    }
    case 401:
    case 402:
      return { kind: 'credential_refused', status, detail };
    case 403:
      // xAI and OpenRouter respond so to prompts that their rules forbid, Together also to those that are too long.
      if (cause === 'content') return { kind: 'request_refused', status, message: reader.clientMessage(error) };
      return contextFailure(status, error) ?? { kind: 'credential_refused', status, detail };
    case 404:
      return cause === 'model' || hasModelStatus(error)
        ? { kind: 'model_unknown', status, detail }
        : { kind: 'server_error', status, detail };
    case 408:
      return { kind: 'timeout', detail };
    case 429:
      return cause === 'account' ? { kind: 'credential_refused', status, detail } : limited();
    default:
      // Fireworks responds 412 for an account that is suspended.
      if (cause === 'account') return { kind: 'credential_refused', status, detail };
      // Some local servers respond 500 to a prompt that is too long.
      return contextFailure(status, error) ?? { kind: 'server_error', status, detail };
  }
}

/** Amazon Bedrock has the type of an error in a header. */
function withAwsType(error: UpstreamError, headers: UpstreamHeaders): UpstreamError {
  return error.type === '' ? { ...error, type: awsErrorType(headers['x-amzn-errortype']) } : error;
}

/** Google's and Anthropic's words for a model that is not there; a page of a proxy has none. */
function hasModelStatus({ type }: UpstreamError): boolean {
  return type === 'NOT_FOUND' || type === 'not_found_error';
}

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
