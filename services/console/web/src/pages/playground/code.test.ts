import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { codeOf } from './code.ts';
import type { PlaygroundRequest } from './draft.ts';

const REQUEST: PlaygroundRequest = {
  model: 'gpt-5.6',
  system: "Don't guess.",
  messages: [{ role: 'user', content: 'Say "hi"\nin $HOME' }],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', additionalProperties: false } } }],
  max_output_tokens: 100,
  temperature: 0,
};
const BODY = {
  model: 'gpt-5.6',
  messages: [
    { role: 'system', content: "Don't guess." },
    { role: 'user', content: 'Say "hi"\nin $HOME' },
  ],
  tools: REQUEST.tools,
  max_completion_tokens: 100,
  temperature: 0,
  stream: true,
};

function block(title: string): string {
  const blocks = codeOf(REQUEST, { baseUrl: 'https://ai.example.com/', serviceName: 'tollgate' });
  return blocks.find((each) => each.title === title)?.code ?? '';
}

it('sends the same request by curl, whatever characters it has', () => {
  const script = `curl() { for last; do :; done; printf %s "$last"; }\n${block('curl')}`;
  expect(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' }))).toEqual(BODY);
});

it('sends the same request by JavaScript', () => {
  const argument = /completions\.create\((\{.*?\n\})\);/s.exec(block('JavaScript'))?.[1] ?? '';
  expect(JSON.parse(argument)).toEqual(BODY);
  expect(block('JavaScript')).toContain("baseURL: 'https://ai.example.com/v1', apiKey: process.env.TOLLGATE_KEY");
});

it('sends the same request by Python', () => {
  const python = block('Python');
  expect(python).toContain('"additionalProperties": False,');
  expect(python).toContain('    stream=True,\n)');
  expect(python).toContain(String.raw`"content": "Say \"hi\"\nin $HOME",`);
});
