import { describe, expect, test } from 'vitest';
import { parseFieldTables } from './field-table.ts';
import { keysOf, mergeExample, without } from './merge-example.ts';

const HEAD = `| field | example | outcome | note |
|---|---|---|---|
`;

describe('parseFieldTables', () => {
  test('parses the rows of all field tables, and of no others', () => {
    const page = `# Title\n\n| a | b |\n|---|---|\n| c | d |\n\n${HEAD}| \`n\` | \`2\` | kept; openai-responses, anthropic-messages: refused | a \\| b |\n\ntext\n\n${HEAD}| \`a[].b\` | \`{"x":"\\|"}\` | warned; openai-responses: changed; anthropic-messages: dropped; gemini: kept | |\n`;
    expect(parseFieldTables(page)).toEqual([
      {
        field: 'n',
        examples: [2],
        outcome: 'kept; openai-responses, anthropic-messages: refused',
        outcomes: {
          'openai-chat': 'kept',
          'openai-responses': 'refused',
          'anthropic-messages': 'refused',
          gemini: 'kept',
        },
        note: 'a | b',
      },
      {
        field: 'a[].b',
        examples: [{ x: '|' }],
        outcome: 'warned; openai-responses: changed; anthropic-messages: dropped; gemini: kept',
        outcomes: {
          'openai-chat': 'warned',
          'openai-responses': 'changed',
          'anthropic-messages': 'dropped',
          gemini: 'kept',
        },
        note: '',
      },
    ]);
  });

  test('parses several examples with one outcome', () => {
    const [row] = parseFieldTables(`${HEAD}| \`n\` | \`1\`<br>\`2\` | kept | |\n`);
    expect(row?.examples).toEqual([1, 2]);
  });

  test.each([
    ['| `n` | `2` | kept |', '3 cells'],
    ['| n | `2` | kept | |', 'not in backticks'],
    ['| `n` | `{` | kept | |', 'JSON'],
    ['| `n` | `2` | lost | |', '"lost" is none of'],
    ['| `n` | `2` | kept; gemini: lost | |', '"lost" is none of'],
    ['| `n` | `2` | kept; other: warned | |', '"other" is none of'],
  ])('finds the mistake in %j', (row, problem) => {
    expect(() => parseFieldTables(HEAD + row)).toThrow(problem);
  });
});

describe('mergeExample', () => {
  const minimal = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

  test('sets a value, also within objects and elements', () => {
    expect(mergeExample(minimal, 'n', 2)).toEqual({ ...minimal, n: 2 });
    expect(mergeExample(minimal, 'a.b', { c: 1 })).toEqual({ ...minimal, a: { b: { c: 1 } } });
    expect(mergeExample(minimal, 'messages[].name', 'Ann').messages).toEqual([
      { role: 'user', content: 'Hi', name: 'Ann' },
    ]);
  });

  test('merges an object that contains the field', () => {
    const company = { top_logprobs: 2, logprobs: true };
    expect(mergeExample(minimal, 'top_logprobs', company)).toEqual({ ...minimal, ...company });
    const tools = { tools: [{ type: 'custom' }, { type: 'function', function: { strict: true } }] };
    expect(mergeExample(minimal, 'tools[].function.strict', tools)).toEqual({ ...minimal, ...tools });
  });
});

test('without removes a field from all elements', () => {
  const body = { a: [{ b: 1, c: 2 }, { c: 3 }], d: 4 };
  expect(without(body, keysOf('a[].c'))).toEqual({ a: [{ b: 1 }, {}], d: 4 });
  expect(without(body, keysOf('a'))).toEqual({ d: 4 });
  expect(without(body, keysOf('x.y'))).toEqual(body);
});
