import { describe, expect, it } from 'vitest';
import { surfaceOf } from './surface.ts';

describe('surfaceOf', () => {
  it.each([
    ['/v1/billing/balance', 'billing'],
    ['/v1/billing/', 'billing'],
    ['/v1/billingx', 'model'],
    ['/v1beta/models', 'generative'],
    ['/v1beta/models/gemini-x:generateContent', 'generative'],
    ['/v1/models/vendor/a:b:streamGenerateContent', 'generative'],
    ['/v1/models/llama:70b', 'model'],
    ['/v1/models', 'model'],
    ['/models/gemini-x:generateContent', 'generative'],
    ['/models/llama:70b', 'model'],
    ['/v1/messages/count_tokens', 'messages'],
    ['/messages', 'messages'],
    ['/messages/count_tokens', 'messages'],
    ['/messagesx', 'model'],
    ['/v1/chat/completions', 'model'],
    ['/anything', 'model'],
  ])('%s is %s', (path, surface) => {
    expect(surfaceOf(path)).toBe(surface);
  });
});
