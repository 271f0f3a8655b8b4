import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/**
 * All text that was generated in one message or delta, for counting it: content, refusal, reasoning (under the names
 * that upstreams give it), the transcript of audio, names and arguments of tool calls.
 */
export function generatedText(message: JsonRecord): string {
  let text = stringOr(message['content']);
  text += stringOr(message['refusal']);
  text += stringOr(message['reasoning_content'] ?? message['reasoning']);
  const calls = message['tool_calls'];
  if (Array.isArray(calls)) for (const call of calls) text += callText(recordOr(call));
  const single = message['function_call'];
  if (single !== undefined) text += functionText(recordOr(single));
  const audio = message['audio'];
  if (audio !== undefined) text += stringOr(recordOr(audio)['transcript']);
  return text;
}

function callText(call: JsonRecord): string {
  const custom = recordOr(call['custom']);
  return functionText(recordOr(call['function'])) + stringOr(custom['name']) + stringOr(custom['input']);
}

function functionText(called: JsonRecord): string {
  return stringOr(called['name']) + stringOr(called['arguments']);
}
