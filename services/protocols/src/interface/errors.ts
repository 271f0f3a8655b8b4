import { formatPath } from '../json/path.ts';
import { isRecord, type JsonRecord, parseJson, recordOr } from '../json/record.ts';
import type { ContextOverflow } from './context-overflow.ts';

/** An error of the gateway's error contract. */
export interface ClientError {
  readonly message: string;
  readonly type: string;
  /** The HTTP status; also sent in the body of streams that have begun. */
  readonly code: number;
  readonly details: JsonRecord | null;
  /**
   * Set for a prompt that is too long for the model. Clients that shorten their conversation recognize this by the words
   * of their own protocol's provider, so each protocol has its own message for it.
   */
  readonly overflow?: ContextOverflow | undefined;
}

/** A field of the error object beside the contract's: what happened, where the type alone does not say it. */
export function reasonField({ overflow }: ClientError): { reason?: 'context_length_exceeded' } {
  return overflow === undefined ? {} : { reason: 'context_length_exceeded' };
}

/** An upstream's description of an error; missing fields are empty. It is not sent to clients unchanged. */
export interface UpstreamError {
  readonly message: string;
  readonly type: string;
  /** A name or an HTTP status. */
  readonly code: string;
  /** The field at fault, as the upstream names it. */
  readonly param: string;
  /** How long to wait before the next request, if the body says so. */
  readonly retryAfterMs?: number;
}

/** The loggable part of an error: its type and code if these are names. Any other text may repeat a prompt. */
export function errorNames({ type, code }: UpstreamError): string {
  return [type, code].filter((name) => ERROR_NAME.test(name)).join(' ');
}

const ERROR_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Maximum body size that is parsed; error bodies are small, and longer ones are pages of proxies. */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_NAME_CHARACTERS = 200;

/**
 * Decodes the body of an upstream's error: the `error` object that all providers have, and what compatible upstreams send
 * instead (`error`, `message` or `detail` as text, FastAPI's list of details, a list around the object). For any other
 * body, such as a proxy's HTML page, all fields are empty.
 */
export function readUpstreamError(body: Buffer): UpstreamError {
  if (body.length > MAX_BODY_BYTES) return describeError({});
  const parsed = parseJson(body.toString('utf8'));
  const described = recordOr(Array.isArray(parsed) ? parsed[0] : parsed);
  const awsType = described['__type'];
  return describeError(awsType === undefined ? described : { ...described, type: awsErrorType(awsType) });
}

/**
 * AWS's type of an error, without what surrounds it in the header `x-amzn-errortype` or in `__type`.
 * https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
 */
export function awsErrorType(text: unknown): string {
  return typeof text === 'string' ? (text.split(':')[0]?.split('#').at(-1) ?? '') : '';
}

/** The same for a body that is parsed already. */
export function describeError(body: JsonRecord): UpstreamError {
  const { error } = body;
  const source = isRecord(error) ? error : body;
  // Mistral has FastAPI's details within the message.
  const detail = body['detail'] ?? source['detail'] ?? recordOr(source['message'])['detail'];
  const firstDetail = recordOr(Array.isArray(detail) ? detail[0] : detail);
  const retryAfterMs = retryDelayMs(source['details']);
  const messages = [
    routedMessage(source),
    source['message'],
    source['Message'],
    error,
    detail,
    firstDetail['msg'],
    firstDetail['message'],
    recordOr(firstDetail['error'])['message'],
    source['error_message'],
  ];
  return {
    message: firstText(messages, MAX_MESSAGE_CHARACTERS),
    type: firstText([source['type'], source['status'], routedType(source)], MAX_NAME_CHARACTERS),
    // Anthropic has the code of some errors in the details.
    code: firstText([source['code'], recordOr(source['details'])['error_code']], MAX_NAME_CHARACTERS),
    param: firstText(
      [source['param'], locationOf(firstDetail['loc']), violatedField(source['details'])],
      MAX_NAME_CHARACTERS,
    ),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** OpenRouter's type of an error. One about a prompt that it moderated has the reasons instead. */
function routedType(source: JsonRecord): unknown {
  const { error_type: type, reasons } = recordOr(source['metadata']);
  return Array.isArray(reasons) && reasons.length > 0 ? 'content_filter' : type;
}

/**
 * The message of the provider behind a router, which OpenRouter has in `metadata.raw` and its own words say nothing of.
 * https://openrouter.ai/docs/api/reference/errors-and-debugging
 */
function routedMessage(source: JsonRecord): string {
  const raw = recordOr(source['metadata'])['raw'];
  if (typeof raw !== 'string' || source['message'] !== 'Provider returned error') return '';
  const inner = parseJson(raw);
  return isRecord(inner) && !isRecord(recordOr(inner['error'])['metadata']) ? describeError(inner).message : raw;
}

/** Google's `details` with the field that a request violates. */
function violatedField(details: unknown): string {
  if (!Array.isArray(details)) return '';
  for (const detail of details) {
    const { fieldViolations } = recordOr(detail);
    const field = Array.isArray(fieldViolations) ? recordOr(fieldViolations[0])['field'] : undefined;
    if (typeof field === 'string') return field;
  }
  return '';
}

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** The delay in Google's `details`, such as `36s` or `0.1s`. */
function retryDelayMs(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const { retryDelay } = recordOr(details.find((detail) => recordOr(detail)['@type'] === RETRY_INFO));
  const seconds = typeof retryDelay === 'string' ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(retryDelay)?.[1] : undefined;
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1_000);
}

/** The first non-empty text or number, truncated to the maximum. */
function firstText(candidates: readonly unknown[], maxCharacters: number): string {
  for (const candidate of candidates) {
    const text = typeof candidate === 'number' ? String(candidate) : candidate;
    if (typeof text !== 'string' || text === '') continue;
    return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
  }
  return '';
}

/** FastAPI's `["body", "messages", 0, "content"]`. */
function locationOf(location: unknown): string {
  if (!Array.isArray(location)) return '';
  const parts: unknown[] = location[0] === 'body' ? location.slice(1) : location;
  return formatPath(parts.filter((part) => typeof part === 'string' || typeof part === 'number'));
}
