import type { NativeCount } from '../../interface/protocol.ts';
import { nonNegativeInteger, parseJson, recordOr } from '../../json/record.ts';
import { countPath, versionFields } from './request-form.ts';

/** The fields that a counting call accepts; it rejects all others. */
const COUNTED: readonly string[] = [
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
  'context_management',
  'speed',
];

/** https://platform.claude.com/docs/en/build-with-claude/token-counting */
export const nativeCount: NativeCount = {
  path: (_model, form) => countPath(form),
  encodeRequest(request, upstreamModel, form) {
    const body: Record<string, unknown> = { model: upstreamModel, ...versionFields(form) };
    for (const field of COUNTED) if (request[field] !== undefined) body[field] = request[field];
    return body;
  },
  decode(body) {
    return nonNegativeInteger(recordOr(parseJson(body.toString('utf8')))['input_tokens']);
  },
};
