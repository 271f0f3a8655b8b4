import { expect, it } from 'vitest';
import { type PlaygroundDraft, readPlaygroundDraft } from './draft.ts';

const DRAFT: PlaygroundDraft = {
  model: 'gpt-5.6',
  system: '',
  messages: [{ role: 'user', content: 'Hello' }],
  tools: '',
  maxOutputTokens: '',
  temperature: '',
};

it('sends only what was entered', () => {
  expect(readPlaygroundDraft(DRAFT).body).toEqual({ model: 'gpt-5.6', messages: DRAFT.messages });
});

it('reads tools, the limit and the temperature', () => {
  const tool = { type: 'function', function: { name: 'f' } };
  const draft = { ...DRAFT, tools: JSON.stringify(tool), maxOutputTokens: '50', temperature: '0', system: 'Be brief.' };
  expect(readPlaygroundDraft(draft).body).toMatchObject({
    system: 'Be brief.',
    tools: [tool],
    max_output_tokens: 50,
    temperature: 0,
  });
});

it.each<[string, Partial<PlaygroundDraft>]>([
  ['model', { model: '' }],
  ['messages', { messages: [{ role: 'user', content: '' }] }],
  ['tools', { tools: '[{' }],
  ['tools', { tools: '[1]' }],
  ['max_output_tokens', { maxOutputTokens: '0' }],
  ['temperature', { temperature: '2.1' }],
  ['temperature', { temperature: 'warm' }],
])('names %s as the field at fault', (field, changes) => {
  expect(Object.keys(readPlaygroundDraft({ ...DRAFT, ...changes }).errors ?? {})).toEqual([field]);
});
