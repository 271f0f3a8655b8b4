import { trace } from '@opentelemetry/api';
import { newToken } from '@tollgate/common/ids';
import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import type { Usage } from '@tollgate/protocols/canonical/usage';
import type { ResponseContext } from '@tollgate/protocols/interface/protocol';
import type { JsonRecord } from '@tollgate/protocols/json/record';
import { protocolOf } from '@tollgate/protocols/registry';
import { translateRequest } from '@tollgate/protocols/translate/request';
import { credentialsFor } from '../exchange/credentials/credentials.ts';
import { redactorOf } from '../exchange/credentials/redaction.ts';
import { askProvider, type ProviderAccess, type Reply } from '../exchange/upstream/ask.ts';
import { forwardedHeaders } from '../exchange/upstream/headers.ts';
import { dispatchTo } from '../plan/generate/request-adapters.ts';
import type { RoutableModel, Route } from '../shared/catalogue/route-table.ts';
import { pausesFor } from '../shared/scheduling.ts';
import { type Failed, notSent, type Timed, timed } from './probe-failure.ts';
import { CapturingClient, readResult } from './read-result.ts';

/** Responses to tests are short. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Time limits of one request. */
const CONNECT_MS = 5_000;
const CALL_MS = 45_000;

/** What is tested: a deployment of a model. */
export interface ProbeTarget {
  entry: RoutableModel;
  route: Route;
}

/** A request in the protocol of the provider. */
export interface EncodedProbe {
  /** Under the provider's base URL. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  isStream: boolean;
}

/**
 * Sends one request as requests of customers are sent, with the first credential of the deployment. It has no retry, and its
 * outcome does not count for the deployment's health.
 */
export async function callProvider(
  access: ProviderAccess,
  route: Route,
  encoded: EncodedProbe,
  timeoutMs: number,
): Promise<Reply> {
  const span = trace.getTracer('tollgate-ingress').startSpan(`probe ${route.deployment.deploymentId}`);
  try {
    const totalMs = Math.max(1, Math.min(timeoutMs, CALL_MS));
    return await askProvider(access, route, {
      ...encoded,
      span: span.spanContext(),
      // undici's own timers are coarse and may fire early; the total time limits the first byte and each pause as well.
      timeouts: { connectMs: CONNECT_MS, firstByteMs: 0, idleMs: 0, totalMs },
      maxBytes: MAX_RESPONSE_BYTES,
      pause: pausesFor(encoded.body.length),
    });
  } finally {
    span.end();
  }
}

export interface ProbeRequest {
  request: CanonicalRequest;
  isStream: boolean;
  /** Changes the encoded request, to make it invalid. */
  spoil?: (json: JsonRecord) => JsonRecord;
}

export interface ProbeResponse {
  kind: 'response';
  response: CanonicalResponse;
  /** Undefined: none was reported that can be read. */
  usage: Usage | undefined;
}

export type ProbeResult = Timed<ProbeResponse>;

/** Only for responses to clients, which these are not. */
const CONTEXT: ResponseContext = { model: '', created: 0, newId: newToken, costOf: () => '0' };

/** Sends one request as translated ones are sent: encoded for the deployment's protocol and parameters. */
export function probe(
  access: ProviderAccess,
  target: ProbeTarget,
  request: ProbeRequest,
  timeoutMs: number,
): Promise<ProbeResult> {
  return timed(redactorOf(target.route, credentialsFor(access, target.route)), () =>
    send(access, target, request, timeoutMs),
  );
}

async function send(
  access: ProviderAccess,
  { entry, route }: ProbeTarget,
  { request, isStream, spoil }: ProbeRequest,
  timeoutMs: number,
): Promise<ProbeResponse | Failed> {
  const { provider, deployment } = route;
  if (route.protocol === 'unspecified') return notSent('not_expressible', 'this ingress does not know the protocol');
  const protocol = protocolOf(route.protocol);
  const headers = forwardedHeaders({}, 'openai-chat');
  const client = new CapturingClient(request);
  const translation = translateRequest(client, protocol.upstream, {
    ...dispatchTo(route, { outputTokens: undefined, hostedUses: undefined }, headers),
    isStream,
    maxOutputTokens: entry.facts.maxOutputTokens,
  });
  if (!translation.ok) return notSent('not_expressible', translation.error.message);
  const encoded = {
    path: protocol.upstream.path(deployment.upstreamModel, isStream, route.form),
    headers: headers.to(provider).headers,
    body: Buffer.from(JSON.stringify(spoil === undefined ? translation.json : spoil(translation.json))),
    isStream,
  };
  const reply = await callProvider(access, route, encoded, timeoutMs);
  const read = readResult(reply, protocol, translation, CONTEXT, isStream, MAX_RESPONSE_BYTES);
  if (read.kind === 'failed') return read;
  return { kind: 'response', response: client.response, usage: read.usage };
}
