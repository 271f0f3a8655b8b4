import { unwrapReasoning } from '@tollgate/simulator/model/wrapped-reasoning';
import { at, listOr, textOr } from '../../sdk/support/json.ts';
import type { UpstreamName } from '../cells.ts';

/** The text of the reasoning that the provider signed for each call of a request, in order; undefined without one. */
export type SignedCalls = (body: unknown) => (string | undefined)[];

/** How each protocol binds signed reasoning to a call. Chat completions have no signatures. */
export const SIGNED_CALLS: Readonly<Record<UpstreamName, SignedCalls | undefined>> = {
  'openai-chat': undefined,
  'openai-responses': responsesCalls,
  'anthropic-messages': messagesCalls,
  gemini: geminiCalls,
};

/** A reasoning item comes before the first call that it led to. */
function responsesCalls(body: unknown): (string | undefined)[] {
  const calls: (string | undefined)[] = [];
  let reasoning: string | undefined;
  for (const item of listOr(body, 'input')) {
    const type = textOr(item, 'type');
    if (type === 'reasoning') reasoning = unwrapReasoning('responses', textOr(item, 'encrypted_content'))?.text;
    if (type !== 'function_call' && type !== 'custom_tool_call') continue;
    calls.push(reasoning);
    reasoning = undefined;
  }
  return calls;
}

/** A thinking block begins the message with the calls that it led to. */
function messagesCalls(body: unknown): (string | undefined)[] {
  return listOr(body, 'messages').flatMap((message) => {
    const calls: (string | undefined)[] = [];
    let reasoning: string | undefined;
    for (const block of listOr(message, 'content')) {
      const type = textOr(block, 'type');
      if (type === 'thinking') reasoning = unwrapReasoning('anthropic', textOr(block, 'signature'))?.text;
      if (type !== 'tool_use') continue;
      calls.push(reasoning);
      reasoning = undefined;
    }
    return calls;
  });
}

/** The first of parallel calls has the signature. */
function geminiCalls(body: unknown): (string | undefined)[] {
  return listOr(body, 'contents')
    .flatMap((content) => listOr(content, 'parts'))
    .filter((part) => at(part, 'functionCall') !== undefined)
    .map((part) => unwrapReasoning('gemini', textOr(part, 'thoughtSignature'))?.text);
}
