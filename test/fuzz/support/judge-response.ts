import { CREDENTIAL_CANARY } from './canaries.ts';
import { endOfStream, parsed, type StreamEnd } from './read-stream.ts';
import type { FuzzRequest } from './requests/wire.ts';
import type { Received } from './send.ts';
import { isObject } from './upstream/read-usage.ts';
import type { Reached } from './upstream/server.ts';

/** A case and its results. */
export interface Outcome {
  number: number;
  request: FuzzRequest;
  received: Received;
  reached: readonly Reached[];
}

/** What a client received. */
export type Delivery =
  /** A complete response, which has one charge. */
  | 'complete'
  /** A stream that ended with an error event. */
  | 'broken'
  /** No response: an error, or no headers at all. */
  | 'rejected'
  /** The client disconnected. */
  | 'disconnected';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const MODEL_TYPES: ReadonlySet<unknown> = new Set([
  'missing_auth_credential',
  'invalid_api_key',
  'invalid_bearer_token',
  'model_not_available',
  'model_not_supported',
  'invalid_request_error',
  'insufficient_balance',
  'rate_limit_exceeded',
  'internal_error',
]);
const BILLING_CODES: ReadonlySet<unknown> = new Set([
  'missing_auth_credential',
  'invalid_api_key',
  'invalid_bearer_token',
  'invalid_request',
  'not_found',
  'rate_limit_exceeded',
  'internal_error',
]);

/** Upstream statuses and endings after which the gateway may return 5xx. */
const BLAMELESS = new Set(['honest', 'usage', 'framing', 'slow', 'finish', 'large']);

/** Judges a response. @returns its faults, and what the client received */
export function judgeResponse(outcome: Outcome): { delivery: Delivery; findings: string[] } {
  const { request, received, reached } = outcome;
  const findings: string[] = [];
  if (received.ending === 'hung') return { delivery: 'disconnected', findings: ['hung'] };
  if (received.text.includes(CREDENTIAL_CANARY)) findings.push('a provider credential in the answer');
  for (const [name, value] of Object.entries(received.headers))
    if (String(value).includes(CREDENTIAL_CANARY)) findings.push(`a provider credential in the header ${name}`);
  if (received.ending === 'disconnected') return { delivery: 'disconnected', findings };
  if (received.status === 0)
    return { delivery: 'rejected', findings: [...findings, 'the connection broke without an answer'] };
  const traceId = received.headers['x-trace-id'];
  if (typeof traceId !== 'string' || !UUID.test(traceId)) findings.push(`x-trace-id is ${String(traceId)}`);
  if (received.ending === 'cut') findings.push(`the answer was cut: ${tail(received.text)}`);
  if (received.status >= 500 && !isUpstreamsFault(reached))
    findings.push(`status ${received.status} without cause: ${tail(received.text)}`);
  if (received.status === 500) findings.push(`status 500: ${tail(received.text)}`);
  if (received.status !== 200) {
    findings.push(...errorShape(request.wire.path, request.wire.method, received, String(traceId)));
    return { delivery: 'rejected', findings };
  }
  const end = endOf(request, received, String(traceId));
  if (end === 'silent') findings.push(`the stream ends silently: ${tail(received.text)}`);
  return { delivery: end === 'error' ? 'broken' : 'complete', findings };
}

function isUpstreamsFault(reached: readonly Reached[]): boolean {
  const last = reached.at(-1);
  return last !== undefined && !BLAMELESS.has(last.response.mode);
}

function endOf({ kind, protocol, wire }: FuzzRequest, { headers, text }: Received, traceId: string): StreamEnd {
  const type = String(headers['content-type']);
  const isStream =
    type.startsWith('text/event-stream') || (protocol === 'gemini' && kind === 'generate' && text.startsWith('['));
  if (!isStream || protocol === undefined) {
    const isJson = wire.method === 'HEAD' || parsed(text) !== undefined;
    return isJson ? 'complete' : 'silent';
  }
  return endOfStream(protocol, text, traceId);
}

/** Shapes of errors: those of the contract, and the additions of protocols. */
function errorShape(path: string, method: string, { status, text }: Received, traceId: string): string[] {
  if (method === 'HEAD') return text === '' ? [] : ['a body to HEAD'];
  const body = parsed(text);
  if (!isObject(body) || !isObject(body['error'])) return [`status ${status} without the error's shape: ${tail(text)}`];
  const { error, trace_id } = body;
  const { message, type, code, details } = error as Record<string, unknown>;
  const wrong: string[] = [];
  if (typeof message !== 'string' || message === '') wrong.push('error.message');
  const plain = path.split('?')[0] ?? '';
  if (plain.startsWith('/v1/billing/') || plain === '/v1/billing') {
    if (!BILLING_CODES.has(code)) wrong.push('error.code');
    if (Object.keys(body).join() !== 'error' || Object.keys(error).sort().join() !== 'code,message')
      wrong.push('members');
  } else {
    if (!MODEL_TYPES.has(type)) wrong.push('error.type');
    if (code !== status) wrong.push('error.code');
    if (trace_id !== traceId) wrong.push('trace_id');
    const isTopUp = isObject(details) && typeof details['recharge_url'] === 'string';
    if (type === 'insufficient_balance' ? !isTopUp : details !== null) wrong.push('error.details');
    if ((plain === '/v1/messages' || plain.startsWith('/v1/messages/')) && body['type'] !== 'error') wrong.push('type');
    if (/^\/v1beta\/models(\/|$)/.test(plain) && typeof (error as Record<string, unknown>)['status'] !== 'string')
      wrong.push('error.status');
  }
  return wrong.length === 0 ? [] : [`status ${status} with a wrong ${wrong.join(' and ')}: ${tail(text)}`];
}

function tail(text: string): string {
  return text.length > 300 ? `…${text.slice(-300)}` : text;
}
