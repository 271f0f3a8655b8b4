import { trace } from '@opentelemetry/api';
import type { UpstreamClient } from '../exchange/upstream/call.ts';
import { type CredentialSources, credentialsFor, identityHeaders } from '../exchange/upstream/call-credential.ts';
import { type CollectedResponse, collectResponse } from '../exchange/upstream/collect.ts';
import { upstreamHeaders } from '../exchange/upstream/headers.ts';
import type { RoutableModel, Route } from '../shared/catalogue/route-table.ts';
import { pausesFor } from '../shared/scheduling/stages.ts';
import { type Failed, notSent } from './probe-failure.ts';

/** Responses to tests are short. */
export const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
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

/** A request that was not sent: the credential is missing. */
export interface NotSent {
  kind: 'not_sent';
  why: Failed;
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
  deps: ProbeDependencies,
  route: Route,
  { path, headers, body, isStream }: EncodedProbe,
  timeoutMs: number,
): Promise<CollectedResponse | NotSent> {
  const [credential = { kind: 'none' as const }] = credentialsFor(deps, route);
  if (credential.kind === 'missing') {
    return { kind: 'not_sent', why: notSent('credential_refused', credential.detail) };
  }
  const { deployment, provider } = route;
  const span = trace.getTracer('tollgate-ingress').startSpan(`probe ${deployment.deploymentId}`);
  try {
    const key = credential.kind === 'found' ? credential.value : undefined;
    const call = {
      origin: route.origin,
      path: route.basePath + path,
      headers: upstreamHeaders(provider, key, span.spanContext(), isStream, headers),
      body,
    };
    const authorization = await identityHeaders(credential, { ...call, pause: pausesFor(body.length) });
    if (authorization.kind === 'missing') {
      return { kind: 'not_sent', why: notSent('no_credential', authorization.detail) };
    }
    const totalMs = Math.max(1, Math.min(timeoutMs, CALL_MS));
    // undici's own timers are coarse and may fire early; the total time limits the first byte and each pause as well.
    const timeouts = { connectMs: CONNECT_MS, firstByteMs: 0, idleMs: 0, totalMs };
    const signed = { ...call, headers: { ...call.headers, ...authorization.headers }, timeouts, totalMs };
    return await collectResponse(deps.upstream, signed, MAX_RESPONSE_BYTES);
  } finally {
    span.end();
  }
}
