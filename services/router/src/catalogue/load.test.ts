import { describe, expect, it } from 'vitest';
import { catalogueFromText } from './load.ts';

/** A catalogue of so many models, each with twenty deployments that take over all credentials of their provider. */
function catalogue(models: number): string {
  const keys = Array.from({ length: 20 }, (_, at) => ({ file: `/${'k'.repeat(900)}/${at}` }));
  return JSON.stringify({
    version: 1,
    providers: [{ id: 'p', protocol: 'openai-chat', base_url: 'https://p.example', api_keys: keys }],
    models: Array.from({ length: models }, (_, model) => ({
      id: `m${model}`,
      context_window: 9,
      max_output_tokens: 1,
      price: { input: 1, output: 1 },
      deployments: Array.from({ length: 20 }, (_, at) => ({ id: `m${model}-${at}`, provider: 'p' })),
    })),
  });
}

describe('routes of a text', () => {
  it('are refused where they are too many for one message to the ingresses', () => {
    const read = (models: number) => catalogueFromText('f', catalogue(models), () => undefined);
    expect(read(20).routes.models).toHaveLength(20);
    expect(() => read(25)).toThrow(/f:1:1: results in a route table of \d+ bytes; at most \d+ can be sent/);
  });
});
