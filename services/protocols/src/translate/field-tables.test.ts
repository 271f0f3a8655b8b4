import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MINIMAL, pathParameters } from '../../testing/translate/clients.ts';
import { type FieldRow, parseFieldTables } from '../../testing/translate/field-table.ts';
import { observeOutcome } from '../../testing/translate/observe-outcome.ts';
import { requestSchema as messagesSchema } from '../anthropic-messages/shared/schema.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import { requestSchema as geminiSchema } from '../gemini/shared/schema.ts';
import { requestSchema as chatSchema } from '../openai-chat/shared/schema.ts';
import { requestSchema as responsesSchema } from '../openai-responses/shared/schema.ts';
import { protocolOf } from '../registry.ts';

const SCHEMAS: Readonly<Record<ProtocolName, { readonly shape: object }>> = {
  'openai-chat': chatSchema,
  'openai-responses': responsesSchema,
  'anthropic-messages': messagesSchema,
  gemini: geminiSchema,
};

/** One example of a row. */
type FieldExample = Pick<FieldRow, 'field' | 'outcomes'> & { example: unknown };

function tableOf(name: ProtocolName): FieldExample[] {
  const page = new URL(`../../testing/field-tables/${name}.md`, import.meta.url);
  const rows = parseFieldTables(readFileSync(page, 'utf8'));
  return rows.flatMap(({ examples, ...row }) => examples.map((example) => ({ ...row, example })));
}

/** The actual outcomes; where the test cannot distinguish two, the table's. */
function outcomesOf(name: ProtocolName, row: FieldExample): Record<ProtocolName, string> {
  const client = { protocol: protocolOf(name), minimal: MINIMAL[name], call: pathParameters(false) };
  const outcome = (target: ProtocolName): string => {
    const observed = observeOutcome(client, row.field, row.example, protocolOf(target));
    if (typeof observed === 'string') return observed;
    return observed.includes(row.outcomes[target]) ? row.outcomes[target] : observed.join(' or ');
  };
  return {
    'openai-chat': outcome('openai-chat'),
    'openai-responses': outcome('openai-responses'),
    'anthropic-messages': outcome('anthropic-messages'),
    gemini: outcome('gemini'),
  };
}

describe.each(PROTOCOL_NAMES)('testing/field-tables/%s.md', (name) => {
  const rows = tableOf(name);

  test('has a row for every field of a request', () => {
    const described = new Set(rows.map((row) => row.field.split(/[.[]/)[0]));
    expect(Object.keys(SCHEMAS[name].shape).filter((field) => !described.has(field))).toEqual([]);
  });

  test('has each example of a field once', () => {
    const keys = rows.map((row) => `${row.field} ${JSON.stringify(row.example)}`);
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  });

  test.each(rows.map((row) => ({ row, field: row.field, example: JSON.stringify(row.example) })))(
    '$field $example',
    ({ row }) => {
      expect(outcomesOf(name, row)).toEqual(row.outcomes);
    },
  );
});
