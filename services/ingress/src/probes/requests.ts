import type { AssistantMessage, Message } from '@tollgate/protocols/canonical/message';
import type { ToolCallPart } from '@tollgate/protocols/canonical/part';
import type { CanonicalRequest } from '@tollgate/protocols/canonical/request';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import type { JsonRecord } from '@tollgate/protocols/json/record';
import type { RoutableModel } from '../shared/catalogue/route-table.ts';

/** Enough for a model that thinks before it answers, and the most that a request of a test can generate. */
const MAX_OUTPUT_TOKENS = 1_024;

/** ASCII only: a token has at least one of its characters. */
const PLAIN_PROMPT = 'Reply with the single word: ready';

export const TOOL_NAME = 'report_status';
export const TOOL_INPUT = { status: 'ready' } as const;
export const JSON_FIELD = 'capital';

/** The requests of a test. They have nothing of a customer in them. */
export class ProbeRequests {
  readonly #maxOutputTokens: number;
  readonly #facts: RoutableModel['facts'];

  constructor({ model, facts }: RoutableModel) {
    this.#facts = facts;
    this.#maxOutputTokens = Math.min(MAX_OUTPUT_TOKENS, Number(model.maxOutputTokens));
  }

  plain(): CanonicalRequest {
    return this.#request([user(PLAIN_PROMPT)]);
  }

  /** The most tokens that the plain request can have. */
  plainTokens(): number {
    const { tokensPerRequest, tokensPerMessage } = this.#facts;
    return PLAIN_PROMPT.length + tokensPerRequest + tokensPerMessage;
  }

  tools(choice: 'auto' | 'required'): CanonicalRequest {
    return this.#request([TOOL_QUESTION], { tools: [TOOL], toolChoice: { type: choice } });
  }

  /** The turn after a call: the response goes back with the tool's result, as agents send it. */
  toolResult(response: CanonicalResponse, call: ToolCallPart): CanonicalRequest {
    const turn: AssistantMessage = { role: 'assistant', parts: response.choices[0]?.parts ?? [] };
    const result: Message = {
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId: call.id,
          kind: 'function',
          name: call.name,
          parts: [{ type: 'text', text: 'The status was reported.' }],
          isError: false,
        },
      ],
    };
    return this.#request([TOOL_QUESTION, turn, result], { tools: [TOOL], toolChoice: { type: 'auto' } });
  }

  jsonSchema(): CanonicalRequest {
    return this.#request([user('What is the capital of France? Answer in JSON.')], {
      responseFormat: { type: 'json-schema', name: 'answer', schema: ANSWER_SCHEMA, strict: true },
    });
  }

  reasoning(): CanonicalRequest {
    const question =
      'A bat and a ball cost 1.10 together. The bat costs 1.00 more than the ball. What does the ball cost?';
    return this.#request([user(question)], { reasoning: { effort: 'low', show: 'auto' } });
  }

  /** Longer than the shortest prompt that providers cache. The name keeps tests apart. */
  cached(name: string): CanonicalRequest {
    const lines = Array.from(
      { length: CACHED_LINES },
      (_, line) => `Rule ${line} of ${name}: answer with one short word.`,
    );
    const instructions = { type: 'text', text: lines.join('\n'), cache: {} } as const;
    return this.#request([{ role: 'system', parts: [instructions] }, user(PLAIN_PROMPT)]);
  }

  #request(messages: readonly Message[], fields: Partial<CanonicalRequest> = {}): CanonicalRequest {
    return { messages, tools: [], maxOutputTokens: this.#maxOutputTokens, names: {}, ...fields };
  }
}

/** About 15 tokens each. */
const CACHED_LINES = 160;

function user(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

const TOOL_QUESTION = user(`Call the tool ${TOOL_NAME} with the status ${TOOL_INPUT.status}. Do not answer yourself.`);

const STATUS: JsonRecord = {
  type: 'object',
  properties: { status: { type: 'string', enum: [TOOL_INPUT.status] } },
  required: ['status'],
  additionalProperties: false,
};
const TOOL = { type: 'function', name: TOOL_NAME, description: 'Reports a status.', parameters: STATUS } as const;

const ANSWER_SCHEMA: JsonRecord = {
  type: 'object',
  properties: { [JSON_FIELD]: { type: 'string' } },
  required: [JSON_FIELD],
  additionalProperties: false,
};

/** Fields that hold the conversation in the four protocols, and the texts to embed. */
const CONVERSATIONS = ['messages', 'input', 'contents', 'requests'];

/** Makes an encoded request invalid for every provider: its conversation, or its texts, are a number. */
export function withoutConversation(json: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, CONVERSATIONS.includes(key) ? 7 : value]));
}
