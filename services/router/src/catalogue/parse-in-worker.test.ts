import { describe, expect, it } from 'vitest';
import { parseInWorker } from './parse-in-worker.ts';

const GOOD = `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "\${PLACE}/v1", auth: none }]
models:
  - { id: m, context_window: 9, max_output_tokens: 1, price: { input: 1, output: 1 }, deployments: [{ provider: p }] }
`;

function parse(text: string, signal = new AbortController().signal) {
  return parseInWorker({ file: 'f', text }, { PLACE: 'https://p.example' }, signal);
}

describe('a catalogue parsed in a thread', () => {
  it('becomes routes, with the given variables', async () => {
    const { routes, lines } = await parse(GOOD);
    expect(routes.providers).toMatchObject([{ providerId: 'p', baseUrl: 'https://p.example/v1' }]);
    expect(routes.models).toMatchObject([{ modelId: 'm', maxOutputTokens: 1n }]);
    expect(lines).toEqual([{ modelId: 'm', line: 4 }]);
  });

  it('is refused with its problems', async () => {
    await expect(parse('version: 2\n')).rejects.toThrow(/^The catalogue is invalid:\nf:1:1: /);
  });

  it('is refused where it takes too much memory or time', async () => {
    const model = `&a { ${Array.from({ length: 30_000 }, (_, key) => `unknown${key}: 1`).join(', ')} }`;
    const text = `version: 1\nproviders: []\nmodels:\n- ${model}\n${'- *a\n'.repeat(900)}`;
    await expect(parse(text)).rejects.toThrow(/f:1:1: takes more than (192 MiB of memory|30 seconds) to read/);
  });

  it('leaves the thread of its caller free, which can end it', async () => {
    const controller = new AbortController();
    const parsed = expect(parse(GOOD, controller.signal)).rejects.toThrow('no longer needed');
    setImmediate(() => controller.abort(new Error('no longer needed')));
    await parsed;
  });
});
