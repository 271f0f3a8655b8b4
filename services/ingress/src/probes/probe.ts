import { newToken } from '@tollgate/common/ids';
import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import type { Usage } from '@tollgate/protocols/canonical/usage';
import type { ResponseContext } from '@tollgate/protocols/interface/protocol';
import type { JsonRecord } from '@tollgate/protocols/json/record';
import { protocolOf } from '@tollgate/protocols/registry';
import { translateRequest } from '@tollgate/protocols/translate/request';
import { credentialsFor } from '../exchange/upstream/call-credential.ts';
import { forwardedHeaders } from '../exchange/upstream/client-headers.ts';
import { redactorOf } from '../exchange/upstream/route-redactor.ts';
import { dispatchTo } from '../plan/generate/request-adapters.ts';
import { callProvider, MAX_RESPONSE_BYTES, type ProbeDependencies, type ProbeTarget } from './call-provider.ts';
import { type Failed, notSent, type Timed, timed } from './probe-failure.ts';
import { CapturingClient, readResult } from './read-result.ts';

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
  deps: ProbeDependencies,
  target: ProbeTarget,
  request: ProbeRequest,
  timeoutMs: number,
): Promise<ProbeResult> {
  return timed(redactorOf(target.route, credentialsFor(deps, target.route)), () =>
    send(deps, target, request, timeoutMs),
  );
}

async function send(
  deps: ProbeDependencies,
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
  const collected = await callProvider(deps, route, encoded, timeoutMs);
  if (collected.kind === 'not_sent') return collected.why;
  const read = readResult(collected, protocol, translation, CONTEXT, isStream, MAX_RESPONSE_BYTES);
  if (read.kind === 'failed') return read;
  return { kind: 'response', response: client.response, usage: read.usage };
}
