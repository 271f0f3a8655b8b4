import { trace } from '@opentelemetry/api';
import { newToken } from '@tollgate/common/ids';
import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import type { Usage } from '@tollgate/protocols/canonical/usage';
import type { ResponseContext } from '@tollgate/protocols/interface/protocol';
import type { JsonRecord } from '@tollgate/protocols/json/record';
import { protocolOf } from '@tollgate/protocols/registry';
import { translateRequest } from '@tollgate/protocols/translate/request';
import { dispatchTo } from '../generate/request-adapters.ts';
import { protocolName, type RoutableModel, type Route, requestFormOf } from '../model-routing/route-table.ts';
import { pausesFor } from '../scheduling/stages.ts';
import type { UpstreamClient } from '../upstream/call.ts';
import { type CredentialSources, credentialsFor, identityHeaders } from '../upstream/call-credential.ts';
import { forwardedHeaders } from '../upstream/client-headers.ts';
import { collectResponse } from '../upstream/collect.ts';
import { upstreamHeaders } from '../upstream/headers.ts';
import { redactorOf } from '../upstream/route-redactor.ts';
import { CapturingClient, type ProbeFailure, readResult } from './read-result.ts';

/** Responses to tests are short. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Time limits of one request. */
const CONNECT_MS = 5_000;
const CALL_MS = 45_000;

export interface ProbeDependencies extends CredentialSources {
  upstream: UpstreamClient;
}

/** What is tested: a deployment of a model. */
export interface ProbeTarget {
  entry: RoutableModel;
  route: Route;
}

export interface ProbeRequest {
  request: CanonicalRequest;
  isStream: boolean;
  /** Changes the encoded request, to make it invalid. */
  spoil?: (json: JsonRecord) => JsonRecord;
}

export type ProbeResult = { durationMs: number } & (
  | {
      kind: 'response';
      response: CanonicalResponse;
      /** Undefined: none was reported that can be read. */
      usage: Usage | undefined;
    }
  /** Its message is without credentials and addresses. */
  | { kind: 'failed'; failure: ProbeFailure }
);

/** Only for responses to clients, which these are not. */
const CONTEXT: ResponseContext = { model: '', created: 0, newId: newToken, costOf: () => '0' };

/**
 * Sends one request as translated ones are sent: encoded for the deployment's protocol and parameters, with its first
 * credential. It has no retry, and its outcome does not count for the deployment's health.
 */
export async function probe(
  deps: ProbeDependencies,
  { entry, route }: ProbeTarget,
  { request, isStream, spoil }: ProbeRequest,
  timeoutMs: number,
): Promise<ProbeResult> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const { provider, deployment } = route;
  const redact = redactorOf(deps, route);
  const failed = ({ message, ...failure }: ProbeFailure): ProbeResult => ({
    kind: 'failed',
    failure: { ...failure, message: redact(message) },
    durationMs: durationMs(),
  });
  const name = protocolName(provider.protocol);
  if (name === 'unspecified') return failed(notSent('not_expressible', 'this ingress does not know the protocol'));
  const protocol = protocolOf(name);
  const headers = forwardedHeaders({}, 'openai-chat');
  const client = new CapturingClient(request);
  const translation = translateRequest(client, protocol.upstream, {
    ...dispatchTo(route, { outputTokens: undefined, webUses: undefined }, headers),
    isStream,
    maxOutputTokens: Number(entry.model.maxOutputTokens),
  });
  if (!translation.ok) return failed(notSent('not_expressible', translation.error.message));
  const [credential = { kind: 'none' as const }] = credentialsFor(deps, route);
  if (credential.kind === 'missing') return failed(notSent('credential_refused', credential.detail));
  const totalMs = Math.max(1, Math.min(timeoutMs, CALL_MS));
  const span = trace.getTracer('tollgate-ingress').startSpan(`probe ${deployment.deploymentId}`);
  const key = credential.kind === 'found' ? credential.value : undefined;
  const body = Buffer.from(JSON.stringify(spoil === undefined ? translation.json : spoil(translation.json)));
  const call = {
    origin: route.origin,
    path: route.basePath + protocol.upstream.path(deployment.upstreamModel, isStream, requestFormOf(provider)),
    headers: { ...headers.to(provider).headers, ...upstreamHeaders(provider, key, span.spanContext(), isStream) },
    body,
  };
  const authorization = await identityHeaders(credential, { ...call, pause: pausesFor(body.length) });
  if (authorization.kind === 'missing') {
    span.end();
    return failed(notSent('no_credential', authorization.detail));
  }
  const collected = await collectResponse(
    deps.upstream,
    {
      ...call,
      headers: { ...call.headers, ...authorization.headers },
      timeouts: { connectMs: CONNECT_MS, firstByteMs: totalMs, idleMs: totalMs, totalMs },
      totalMs,
    },
    MAX_RESPONSE_BYTES,
  );
  span.end();
  const read = readResult(collected, protocol, translation, CONTEXT, isStream, MAX_RESPONSE_BYTES);
  if (read.kind === 'failed') return failed(read.failure);
  return { kind: 'response', response: client.response, usage: read.usage, durationMs: durationMs() };
}

function notSent(kind: ProbeFailure['kind'], message: string): ProbeFailure {
  return { kind, status: 0, message };
}
