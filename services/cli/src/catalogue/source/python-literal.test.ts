import { describe, expect, it } from 'vitest';
import { parsePythonValue } from './python-literal.ts';

describe('parsePythonValue', () => {
  it('reads calls, lists, dictionaries, texts, numbers and constants', () => {
    const text = `Model(
      'a', "it's",  # a comment
      price=Decimal('0.10'), at=datetime.date(2026, 8, 17), on=True, off=False, none=None, n=-1_000,
      list=[1, 'x' 'y', (2,)], map={'k': datetime.UTC},
    )`;
    expect(parsePythonValue(`x = ${text}`, 4)).toEqual({
      name: 'Model',
      positional: ['a', "it's"],
      named: {
        price: { name: 'Decimal', positional: ['0.10'], named: {} },
        at: { name: 'datetime.date', positional: [2026, 8, 17], named: {} },
        on: true,
        off: false,
        none: null,
        n: -1_000,
        list: [1, 'xy', [2]],
        map: { name: 'dict', positional: [], named: { k: 'datetime.UTC' } },
      },
    });
  });

  it('reads escapes', () => {
    expect(parsePythonValue(String.raw`'a\'b\n\x41\u00e9\\.'`, 0)).toBe("a'b\nA\u00e9\\.");
  });

  it.each(['', '[1 2]', 'f(1 2)', '[1', '{1: 2}', '+1'])('throws at anything else: %o', (text) => {
    expect(() => parsePythonValue(text, 0)).toThrow();
  });
});
