import { describe, expect, it } from 'vitest';
import { PromptCache } from './prompt-cache.ts';
import { promptPieces } from './prompt-pieces.ts';

const LONG = 'word '.repeat(2_000);
const EPHEMERAL = { cache_control: { type: 'ephemeral' } };
const INPUT = 10_000;

function bodyOf(json: object): Buffer {
  return Buffer.from(JSON.stringify(json));
}

describe('Anthropic', () => {
  const system = (attribution: string) => [
    { type: 'text', text: `x-anthropic-billing-header: ${attribution}` },
    { type: 'text', text: LONG, ...EPHEMERAL },
  ];
  const turn = (text: string, marks: object = {}) => ({ role: 'user', content: [{ type: 'text', text, ...marks }] });
  const use = (cache: PromptCache, body: object) =>
    cache.use('m', promptPieces('anthropic-messages', bodyOf(body)), INPUT);

  it('reads what an earlier prompt kept by a breakpoint, whatever its attribution', () => {
    const cache = new PromptCache();
    const first = use(cache, { system: system('1'), messages: [turn('Hi', EPHEMERAL)] });
    expect(first.read).toBe(0);
    expect(first.written).toBeGreaterThan(9_000);
    const second = use(cache, { system: system('2'), messages: [turn('Hi'), turn('Go', EPHEMERAL)] });
    expect(second.read).toBeGreaterThan(9_000);
  });

  it('reads nothing when the start has changed, or no breakpoint was set', () => {
    const cache = new PromptCache();
    use(cache, { system: system('1'), messages: [turn('Hi', EPHEMERAL)] });
    const changed = [{ type: 'text', text: 'Be kind.' }, ...system('1')];
    expect(use(cache, { system: changed, messages: [turn('Hi', EPHEMERAL)] }).read).toBe(0);
    const unmarked = new PromptCache();
    use(unmarked, { messages: [turn(LONG)] });
    expect(use(unmarked, { messages: [turn(LONG)] })).toEqual({ read: 0, written: 0 });
  });
});

it.each([
  ['openai-chat', 'messages'],
  ['openai-responses', 'input'],
  ['gemini', 'contents'],
])('%s reads every prefix that it has seen, and only of the same model', (protocol, field) => {
  const cache = new PromptCache();
  const pieces = (...texts: string[]) => promptPieces(protocol, bodyOf({ [field]: texts }));
  cache.use('m', pieces(LONG, 'Hi'), INPUT);
  expect(cache.use('m', pieces(LONG, 'Go'), INPUT).read).toBeGreaterThan(9_000);
  expect(cache.use('other', pieces(LONG, 'Go'), INPUT).read).toBe(0);
  expect(cache.use('m', pieces('Be kind.', LONG), INPUT).read).toBe(0);
});

it('keeps no short prompts', () => {
  const cache = new PromptCache();
  const pieces = promptPieces('openai-chat', bodyOf({ messages: ['Hi'] }));
  cache.use('m', pieces, 10);
  expect(cache.use('m', pieces, 10).read).toBe(0);
});
