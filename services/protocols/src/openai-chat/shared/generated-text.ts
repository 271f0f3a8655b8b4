import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { decodeDetails, reasoningText, thinkingText } from './reasoning.ts';

/**
 * All text that was generated in one message or delta, for counting it: content, refusal, reasoning (wherever
 * upstreams have it), the transcript of audio, names and arguments of tool calls.
 */
export function generatedText(message: JsonRecord): string {
  let text = contentText(message['content']);
  text += stringOr(message['refusal']);
  text += thoughtText(message);
  const calls = message['tool_calls'];
  if (Array.isArray(calls)) for (const call of calls) text += callText(recordOr(call));
  const single = message['function_call'];
  if (single !== undefined) text += functionText(recordOr(single));
  const audio = message['audio'];
  if (audio !== undefined) text += stringOr(recordOr(audio)['transcript']);
  return text;
}

/** The text of the deltas of all choices of a chunk. */
export function textOfChoices(choices: readonly unknown[]): string {
  let text = '';
  for (const choice of choices) text += generatedText(recordOr(recordOr(choice)['delta']));
  return text;
}

/** The text of `content`, which has parts at some upstreams. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return stringOr(content);
  return content
    .map((part: unknown) =>
      isRecord(part) ? stringOr(part['text']) + stringOr(part['refusal']) + thinkingText(part) : '',
    )
    .join('');
}

/** Reasoning, once: `reasoning_details` repeat the plain field. */
function thoughtText(message: JsonRecord): string {
  const text = reasoningText(message);
  if (text !== '' || message['reasoning_details'] === undefined) return text;
  return decodeDetails(message['reasoning_details'])
    .map((detail) => detail.text)
    .join('');
}

function callText(call: JsonRecord): string {
  const custom = recordOr(call['custom']);
  return functionText(recordOr(call['function'])) + stringOr(custom['name']) + stringOr(custom['input']);
}

function functionText({ name, arguments: input }: JsonRecord): string {
  return stringOr(name) + (isRecord(input) ? JSON.stringify(input) : stringOr(input));
}
