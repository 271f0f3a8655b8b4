import type { ResponseContext, ResponseResult, ResponseTransformer } from '../../protocol.ts';
import { editCompletion, readCompletion } from './edit-response.ts';

/** Takes a whole answer from an upstream that speaks chat-completions to a client that does. */
export function responseTransformer({ model }: ResponseContext): ResponseTransformer {
  return { transform: (body) => read(body, model) };
}

function read(body: Buffer, model: string): ResponseResult {
  const answer = readCompletion(body);
  if (answer.kind !== 'completion') return answer;
  const { usage, unreadable, finishReason, text } = answer;
  return {
    kind: 'response',
    usage,
    unreadable,
    finishReason,
    text,
    render: (final) =>
      editCompletion(answer, { model, cost: final.cost, usage: final.estimated ? final.usage : undefined }),
  };
}
