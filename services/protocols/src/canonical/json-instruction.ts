import { isTurnOver, type Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import type { InstructionMessage, Message } from './message.ts';
import type { CanonicalRequest } from './request.ts';

const INSTRUCTION: InstructionMessage = {
  role: 'system',
  parts: [{ type: 'text', text: 'Answer with a JSON object.' }],
};

/**
 * OpenAI rejects requests for JSON without a schema unless a message contains "JSON". Other providers have no such rule,
 * so an instruction is added in front if no message does.
 */
export function* withJsonInstruction(request: CanonicalRequest, diagnostics: Diagnostics): Stages<CanonicalRequest> {
  const { responseFormat, messages, names } = request;
  if (responseFormat?.type !== 'json' || (yield* speaksOfJson(messages))) return request;
  diagnostics.warn(
    names.responseFormat,
    "an instruction to answer in JSON is added, since this model's provider requires one",
  );
  return { ...request, messages: [INSTRUCTION, ...messages] };
}

function* speaksOfJson(messages: readonly Message[]): Stages<boolean> {
  for (const message of messages) {
    if (/json/i.test(JSON.stringify(message))) return true;
    if (isTurnOver(1 + message.parts.length)) yield;
  }
  return false;
}
