import { generatedText } from '../canonical/generated-text.ts';
import { laterDetails, type UsageDetails } from '../canonical/usage-report.ts';
import type {
  ClientRequest,
  ResponseContext,
  ResponseResult,
  ResponseTransformer,
  Upstream,
} from '../interface/protocol.ts';
import { type Adjustments, adjustResponse } from './adjustments.ts';

/**
 * Passes on a buffered response to a client of another protocol.
 *
 * @param sent what the upstream was asked for, which it may not report
 */
export function translatingResponseTransformer(
  client: Pick<ClientRequest, 'encodeResponse'>,
  upstream: Pick<Upstream, 'decodeResponse'>,
  adjustments: Adjustments,
  context: ResponseContext,
  sent?: UsageDetails,
): ResponseTransformer {
  return { transform: (body) => read(client, upstream, adjustments, context, sent, body) };
}

function read(
  client: Pick<ClientRequest, 'encodeResponse'>,
  upstream: Pick<Upstream, 'decodeResponse'>,
  adjustments: Adjustments,
  context: ResponseContext,
  sent: UsageDetails | undefined,
  body: Buffer,
): ResponseResult {
  const decoded = upstream.decodeResponse(body, context);
  if (decoded.kind !== 'response') return decoded;
  const [first] = decoded.response.choices;
  if (first === undefined) return { kind: 'malformed', problem: 'the response has no choices' };
  const response = adjustResponse(decoded.response, adjustments);
  return {
    kind: 'response',
    usage: response.usage,
    unreadable: decoded.unreadable,
    details: laterDetails(sent, response.usageDetails),
    finishReason: first.finish.raw,
    text: generatedText(decoded.response),
    render: (final) => client.encodeResponse(response, final, context),
  };
}
