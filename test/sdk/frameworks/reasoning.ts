import { expect } from 'vitest';
import type { ProtocolName } from '../scenario.ts';
import { at, listOr, textOr } from '../support/json.ts';
import type { FrameworkCell } from './cell.ts';

const THOUGHTS = 'Rain was forecast, so I look it up.';

/** The model thinks, calls a tool, and is asked again: its own signature returns with that call each time. */
export async function reasoningOverTwoTurns(cell: FrameworkCell): Promise<void> {
  const calls = [{ name: 'get_weather', arguments: '{"city":"Ulm"}' }];
  const first = { reasoning: THOUGHTS, tool_calls: calls };
  const result = await cell.complete({
    prompts: [
      { text: `Weather? [simulate ${JSON.stringify(first)}]` },
      { text: 'And tomorrow? [simulate {"text":"Rain."}]' },
    ],
    toolOutput: 'Sun in {city}.',
    reasoning: true,
  });
  expect(result.texts).toEqual([expect.stringMatching(/\w{3}/), 'Rain.']);
  expect(result.toolInputs).toEqual([{ city: 'Ulm' }]);
  // Chat completions cannot request thoughts.
  if (cell.facts.client.protocol !== 'openai-chat') expect(result.thoughts, 'thoughts').toContain(THOUGHTS);
  const { bodies } = cell;
  expect(bodies).toHaveLength(3);
  const signatures = bodies.slice(1).map((body) => signatureOfCall(cell.upstream, body));
  if (cell.upstream === 'openai-chat') return;
  for (const signature of signatures) {
    const decoded = Buffer.from(signature, 'base64').toString('utf8');
    if (cell.isLost) expect(decoded).not.toContain(THOUGHTS);
    else expect(decoded, 'signature').toContain(THOUGHTS);
  }
}

/** The opaque reasoning that stands where the provider's documentation wants it: with the call. */
function signatureOfCall(upstream: ProtocolName, body: unknown): string {
  switch (upstream) {
    case 'openai-chat':
      return '';
    case 'openai-responses': {
      const items = listOr(body, 'input');
      const call = items.findIndex((item) => textOr(item, 'type') === 'function_call');
      return textOr(items[call - 1], 'encrypted_content');
    }
    case 'anthropic-messages': {
      const messages = listOr(body, 'messages').map((message) => listOr(message, 'content'));
      const turn = messages.find((blocks) => blocks.some((block) => textOr(block, 'type') === 'tool_use'));
      return textOr(turn?.[0], 'signature') || textOr(turn?.[0], 'data');
    }
    case 'gemini': {
      const parts = listOr(body, 'contents').flatMap((content) => listOr(content, 'parts'));
      return textOr(
        parts.find((part) => at(part, 'functionCall') !== undefined),
        'thoughtSignature',
      );
    }
    default:
      return upstream satisfies never;
  }
}
