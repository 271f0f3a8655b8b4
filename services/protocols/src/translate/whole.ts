import { unwrapCustomCalls } from '../canonical/custom-tools.ts';
import { deliveredText } from '../canonical/delivered-text.ts';
import type { AnswerContext, AnswerPassage, AnswerReading, ClientRequest, Upstream } from '../protocol.ts';

/** Takes a whole answer to a client of another protocol. */
export function translatedWhole(
  client: Pick<ClientRequest, 'encodeWhole'>,
  upstream: Pick<Upstream, 'decodeWhole'>,
  customTools: ReadonlySet<string>,
  context: AnswerContext,
): AnswerPassage {
  return { read: (body) => read(client, upstream, customTools, context, body) };
}

function read(
  client: Pick<ClientRequest, 'encodeWhole'>,
  upstream: Pick<Upstream, 'decodeWhole'>,
  customTools: ReadonlySet<string>,
  context: AnswerContext,
  body: Buffer,
): AnswerReading {
  const decoded = upstream.decodeWhole(body, context);
  if (decoded.kind !== 'answer') return decoded;
  const [first] = decoded.response.choices;
  if (first === undefined) return { kind: 'malformed', problem: 'the answer has no choices' };
  const response = unwrapCustomCalls(decoded.response, customTools);
  return {
    kind: 'answer',
    usage: response.usage,
    unreadable: decoded.unreadable,
    finishReason: first.finish.raw,
    text: deliveredText(decoded.response),
    render: (final) => client.encodeWhole(response, final, context),
  };
}
