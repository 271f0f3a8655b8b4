import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactor, withoutAddresses } from './redaction.ts';

const KEY = 'sk-provider/4b+1f7=9c';
const redact = redactor([KEY, 'second-credential'], 'https://llm.internal.example:8443/tenant-7/v1/');

describe('removed from a text are', () => {
  it.each([
    ['a credential', `Incorrect API key provided: ${KEY}.`, 'Incorrect API key provided: [redacted].'],
    ['another credential of the deployment', 'not second-credential', 'not [redacted]'],
    ['one behind its scheme', `got "Bearer ${KEY}"`, 'got "Bearer [redacted]"'],
    ['one in a URL', `/v1?key=${encodeURIComponent(KEY)}&alt=sse`, '/v1?key=[redacted]&alt=sse'],
    ['the base URL', 'POST https://llm.internal.example:8443/tenant-7/v1/x', 'POST [redacted]/x'],
    ['its origin', 'at https://LLM.internal.example:8443.', 'at [redacted].'],
    ['its host and port', 'connect llm.internal.example:443 (llm.internal.example)', 'connect [redacted] ([redacted])'],
    ['a base URL in a URL', encodeURIComponent('https://llm.internal.example:8443/tenant-7/v1'), '[redacted]'],
    ['a base URL within JSON', 'https:\\/\\/llm.internal.example:8443\\/tenant-7\\/v1', '[redacted]'],
  ])('%s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each(['', ':', 'u:', 'user:', 'tenant:'])('a credential in Basic authorization as %j and it', (before) => {
    for (const after of ['', ':', 'x', ':pw']) {
      const basic = Buffer.from(before + KEY + after);
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = redact(`Basic ${basic.toString(encoding)}`);
        expect(text).toContain('[redacted]');
        const left = Buffer.from(text.replace('Basic ', '').replace('[redacted]', ''), encoding).toString('latin1');
        expect(left).not.toContain(KEY.slice(3, 9));
      }
    }
  });

  it('a prefix of a credential where the text was truncated', () => {
    expect(redact(`the key ${KEY.slice(0, 12)}…`)).toBe('the key [redacted]…');
    expect(redact(`param ${KEY.slice(0, 12)}…: is wrong`)).toBe('param [redacted]…: is wrong');
    expect(redact(`the key ${KEY.slice(0, 6)}`)).toBe('the key [redacted]');
  });

  it('any credential in any context', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    fc.assert(
      fc.property(fc.string({ minLength: 4, maxLength: 60 }), text, text, (credential, before, after) => {
        const left = redactor([credential], 'http://127.0.0.1:1/v1')(before + credential + after);
        // The removal may create another occurrence, from the mark itself or from its context.
        if (before.includes(credential[0] ?? '') || after.includes(credential.at(-1) ?? '')) return;
        expect(left.replaceAll('[redacted]', '').includes(credential)).toBe(false);
      }),
    );
  });
});

describe('kept in a text are', () => {
  it.each([
    'The model `gpt-x` does not exist, see https://platform.example/docs.',
    'Incorrect API key provided: sk-pr*****9c.',
    'my-llm.internal.example.org is another host, and so is xllm.internal.example',
  ])('%j', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('words that are a host only after slashes or before a port', () => {
    const ofService = redactor([], 'http://model/v1');
    expect(ofService('the model at //model and model:80 failed')).toBe(
      'the model at //[redacted] and [redacted] failed',
    );
  });
});

it.each([
  ['connect ECONNREFUSED 10.0.0.1:443', 'connect ECONNREFUSED [redacted]'],
  ['connect ECONNREFUSED fe80::1ff:fe23:4567:890a:443', 'connect ECONNREFUSED [redacted]'],
  ['connect ECONNREFUSED ::1:8080', 'connect ECONNREFUSED [redacted]'],
  [
    'Connect Timeout Error (attempted addresses: 10.1.2.3:443, [2001:db8::1]:443, timeout: 700ms)',
    'Connect Timeout Error (attempted addresses: [redacted], [redacted], timeout: 700ms)',
  ],
  ['other side closed', 'other side closed'],
])('addresses are removed from %j', (message, expected) => {
  expect(withoutAddresses(message)).toBe(expected);
});
