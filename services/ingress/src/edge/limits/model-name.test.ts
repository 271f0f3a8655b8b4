import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readModelName } from './model-name.ts';

const read = (text: string) => readModelName(Buffer.from(text));

describe('the model of a body', () => {
  it('is the one of JSON.parse, at any position and with any escapes', () => {
    const others = fc.dictionary(
      fc.string().filter((key) => key !== 'model'),
      fc.jsonValue(),
      { noNullPrototype: true },
    );
    const escaped = (text: string) =>
      [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    fc.assert(
      fc.property(others, others, fc.string({ maxLength: 50 }), fc.boolean(), (before, after, model, asEscapes) => {
        const inner = (value: object) => JSON.stringify(value, null, 1).slice(1, -1).trim();
        const member = asEscapes ? `"${escaped('model')}" : "${escaped(model)}"` : `"model":${JSON.stringify(model)}`;
        const text = `{${[inner(before), member, inner(after)].filter((part) => part !== '').join(',')}}`;
        expect(read(text)).toBe(model);
      }),
    );
  });

  it.each([
    ['no body', ''],
    ['no object', '["model","a"]'],
    ['none', '{"messages":[{"model":"inner"}],"x":"model"}'],
    ['one that is no text', '{"model":7}'],
    ['one that has no end', '{"model":"a'],
    ['a text without an end before it', '{"a":"b,"model":"c"'.slice(0, 9)],
    ['a broken escape', '{"model":"\\u12"}'],
    ['one longer than any', `{"model":"${'a'.repeat(2_000)}"}`],
  ])('is not found if there is %s', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is the first of two', () => {
    expect(read('{"a":{"model":"inner"},"model":"first","model":"second"}')).toBe('first');
  });

  it('is found in a large body without much delay', () => {
    const hostile = `{"a":"${'\\\\'.repeat(8_000_000)}","model":"m"}`;
    const startedAt = performance.now();
    expect(read(hostile)).toBe('m');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});
