import type { UpstreamError } from '@tollgate/protocols/interface/errors';
import type { Reply } from '../exchange/upstream/ask.ts';
import type { UpstreamHeaders } from '../exchange/upstream/call.ts';
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
  reply: Reply,
  readError: (body: Buffer) => UpstreamError,
): { kind: 'answer'; headers: UpstreamHeaders; body: Buffer } | Failed {
  if (reply.kind === 'unauthorized') return notSent(reply.cause, reply.detail);
  if (reply.kind === 'failed') {
    const { failure } = reply;
    const message = 'detail' in failure ? failure.detail : failure.message;
    return failed({ kind: failure.kind, status: statusOf(failure), message });
  }
  const { status, headers, body } = reply;
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

const UNKNOWN_MODEL = 'The provider does not know this model. `model` of the deployment must be its name there.';

/** What to do about a failed request; empty if nothing more is known than the message. */
export function hintOf({ kind, status, message }: ProbeFailure): string {
  switch (kind) {
    case 'unreachable':
    case 'reset':
      return connectionHint(message);
    case 'timeout':
      return 'Check base_url, and that the ingress may reach it: a firewall, or networkPolicy.providers of the chart, may drop the connection. A local server may still be loading its model.';
    case 'credential_refused':
      return credentialHint(status);
    case 'no_credential':
      return 'The ingress obtains no credential of the cloud. Check its service account, the tokens that its pod gets, and that networkPolicy of the chart lets it reach their issuer.';
    case 'rate_limited':
      return 'The provider limits requests of this account. Wait, or ask it for a higher limit.';
    case 'model_unknown':
      return UNKNOWN_MODEL;
    case 'server_error':
      return statusHint(status, message);
    case 'request_refused':
    case 'context_exceeded':
      return requestHint(message);
    case 'malformed':
      return 'The response is not of the provider’s protocol. Check `protocol` and base_url of the entry.';
    case 'not_a_stream':
      return 'The server does not stream. Check `protocol` and base_url, and that no proxy before it buffers responses.';
    case 'not_expressible':
      return 'The protocol of the provider cannot express this request.';
    case 'response_too_large':
    case 'no_room':
    case 'stopping':
      return 'Try again.';
    default:
      return kind satisfies never;
  }
}

function connectionHint(message: string): string {
  if (/ENOTFOUND|EAI_AGAIN|getaddrinfo/.test(message)) {
    return 'The host name cannot be resolved (DNS). Check the spelling of base_url, and the DNS of the ingress.';
  }
  if (/ECONNREFUSED/.test(message)) {
    return 'Nothing listens there (connection refused). Check host and port of base_url. A local server must be running, and listen on an address that the ingress reaches: in a container, 127.0.0.1 is the container itself.';
  }
  if (/ENETUNREACH|EHOSTUNREACH|EACCES|EPERM/.test(message)) {
    return 'The network does not let the ingress connect. Check the firewall, and networkPolicy.providers of the chart.';
  }
  if (/certificate|self.signed|altname|TLS|SSL|EPROTO|wrong version/i.test(message)) {
    return 'TLS failed. Check http or https, the host name and the port of base_url. For a certificate of your own authority, NODE_EXTRA_CA_CERTS of the ingress names its file.';
  }
  return 'The connection broke. Check base_url, and the log of the server or of a proxy before it.';
}

function credentialHint(status: number): string {
  if (status === 0) {
    return 'The ingress has no credential. Set the variable or file that api_key names, for the ingress, and restart it after a change of variables.';
  }
  if (status === 402) return 'The account at the provider has no credit.';
  if (status === 403) {
    return 'The credential is valid, but may not use this model, or not from here. Check the rights of the key at the provider.';
  }
  return 'The provider refuses the credential. Check its value (no quotes, no line break), that it belongs to this provider and region, and that `auth` names the header it is read from.';
}

function statusHint(status: number, message: string): string {
  if (status === 404) {
    return /model/i.test(message)
      ? UNKNOWN_MODEL
      : 'The path does not exist, or the model. base_url must include the version, such as /v1, and nothing after it; `model` of the deployment must be the model’s name at the provider.';
  }
  if (status === 405)
    return 'The path takes no such request. Check base_url: it must be the API’s address, not the website’s.';
  if (status >= 300 && status < 400) return 'The address redirects. Use the final address as base_url, with https.';
  return 'The provider itself failed. Try again, and look at its status page or log.';
}

/** Fields that providers reject, and what of the catalogue leaves them out or renames them. */
const FIELDS: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [
    /use .?max_completion_tokens|max_tokens.? is not supported/i,
    '`parameters: { output_limit: max_completion_tokens }`',
  ],
  [/max_completion_tokens/i, '`parameters: { output_limit: max_tokens }`'],
  [/\bdeveloper\b/i, '`parameters: { developer_role: false }`'],
  [/reasoning_effort|\breasoning\.effort\b/i, '`parameters: { efforts: [] }`, or the efforts that the model has'],
  [
    /response_format|json_schema|output_config|responseSchema|responseJsonSchema/i,
    '`parameters: { json_schema: false }`',
  ],
  [/temperature|top_p/i, '`parameters: { sampling: default_only }`'],
  [/stream_options/i, '`parameters: { unsupported: [stream_options] }`, if its streams report usage without it'],
  [/tool.?call.?id/i, '`parameters: { tool_call_ids: nine_alphanumeric }`'],
  [/tool_choice/i, '`parameters: { forced_calls: false }` for the messages protocol'],
  [/budget_tokens|thinking/i, '`parameters: { thinking: … }`'],
];

function requestHint(message: string): string {
  const found = FIELDS.find(([pattern]) => pattern.test(message));
  if (found !== undefined) return `The entry needs another dialect, or ${found[1]}.`;
  if (/model/i.test(message)) {
    return 'If it does not know the model: `model` of the deployment must be its name at the provider. Else the entry may need another `dialect`, or parameters for the field named.';
  }
  return 'The entry may need another `dialect`, or `parameters: { unsupported: […] }` with the field named.';
}
