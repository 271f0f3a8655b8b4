import type { NativeCount } from '../../interface/protocol.ts';
import { type JsonRecord, nonNegativeInteger, parseJson, recordOr } from '../../json/record.ts';

/** Members of a request that make up the prompt and that the counting call accepts. */
const COUNTED: readonly string[] = [
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'truncation',
];

/**
 * OpenAI's own count of a prompt's tokens: POST /responses/input_tokens
 * (https://developers.openai.com/api/reference/resources/responses/subresources/input_tokens).
 */
export const nativeCount: NativeCount = {
  path: () => '/responses/input_tokens',
  encodeRequest: (request, upstreamModel) => {
    const body: Record<string, unknown> = { model: upstreamModel };
    for (const field of COUNTED) if (request[field] !== undefined) body[field] = request[field];
    return body satisfies JsonRecord;
  },
  decode: (body) => nonNegativeInteger(recordOr(parseJson(body.toString('utf8')))['input_tokens']),
};
