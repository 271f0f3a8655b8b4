import type { AnswerContext, AnswerPassage, AnswerReading } from '../../protocol.ts';
import { editChatAnswer, readChatAnswer } from './edit-response.ts';

/** Takes a whole answer from an upstream that speaks chat-completions to a client that does. */
export function chatAnswerPassage({ model }: AnswerContext): AnswerPassage {
  return { read: (body) => read(body, model) };
}

function read(body: Buffer, model: string): AnswerReading {
  const answer = readChatAnswer(body);
  if (answer.kind !== 'completion') return answer;
  const { usage, unreadable, finishReason, text } = answer;
  return {
    kind: 'answer',
    usage,
    unreadable,
    finishReason,
    text,
    render: (final) =>
      editChatAnswer(answer, { model, cost: final.cost, usage: final.estimated ? final.usage : undefined }),
  };
}
