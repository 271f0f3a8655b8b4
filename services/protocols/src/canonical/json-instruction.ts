import { isTurnOver, type Stages } from '../lists/stages.ts';
import type { Diagnostics } from '../request/diagnostics.ts';
import type { InstructionMessage, Message } from './message.ts';
import type { CanonicalRequest } from './request.ts';

/** For a model whose provider enforces no JSON, or none without a schema. */
export const ANY_JSON =
  'Respond with a single JSON object and nothing else: no explanation, and no Markdown around it.';

/** For a model whose provider does not enforce the schema. */
export function jsonBySchema(schema: unknown): string {
  return (
    'Respond with a single JSON value that conforms to the JSON Schema below and nothing else: no explanation, and no ' +
    `Markdown around it.\n\n${JSON.stringify(schema)}`
  );
}

const INSTRUCTION = instruction('Answer with a JSON object.');

function instruction(text: string): InstructionMessage {
  return { role: 'system', parts: [{ type: 'text', text }] };
}

/**
 * OpenAI rejects requests for JSON without a schema unless a message contains "JSON". Other providers have no such rule,
 * so an instruction is added in front if no message does.
 *
 * @param jsonSchema false: the provider enforces no schema, which is in the instruction instead
 */
export function* withJsonInstruction(
  request: CanonicalRequest,
  diagnostics: Diagnostics,
  jsonSchema = true,
): Stages<CanonicalRequest> {
  const { responseFormat, messages, names } = request;
  if (!jsonSchema && responseFormat?.type === 'json-schema') {
    return { ...request, messages: [instruction(jsonBySchema(responseFormat.schema)), ...messages] };
  }
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
