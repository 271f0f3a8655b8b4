import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requestSchema as messagesSchema } from '../anthropic-messages/shared/schema.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import { requestSchema as geminiSchema } from '../gemini/shared/schema.ts';
import { requestSchema as chatSchema } from '../openai-chat/shared/schema.ts';
import { requestSchema as responsesSchema } from '../openai-responses/shared/schema.ts';
import { protocolOf } from '../registry.ts';
import { MINIMAL, pathParameters } from './testing/clients.ts';
import { type FieldRow, parseFieldTables } from './testing/field-table.ts';
import { judgeField } from './testing/judge-field.ts';

const SCHEMAS: Readonly<Record<ProtocolName, { readonly shape: object }>> = {
  'openai-chat': chatSchema,
  'openai-responses': responsesSchema,
  'anthropic-messages': messagesSchema,
  gemini: geminiSchema,
};

function tableOf(name: ProtocolName): FieldRow[] {
  const page = new URL(`../../../../docs/reference/protocols/${name}.md`, import.meta.url);
  return parseFieldTables(readFileSync(page, 'utf8'));
}

/** What the code does, in the words of the table; the table's own word where the two agree. */
function fatesOf(name: ProtocolName, row: FieldRow): Record<ProtocolName, string> {
  const client = { protocol: protocolOf(name), minimal: MINIMAL[name], call: pathParameters(false) };
  const fate = (target: ProtocolName): string => {
    const judged = judgeField(client, row.field, row.example, protocolOf(target));
    if (typeof judged === 'string') return judged;
    return judged.includes(row.fates[target]) ? row.fates[target] : judged.join(' or ');
  };
  return {
    'openai-chat': fate('openai-chat'),
    'openai-responses': fate('openai-responses'),
    'anthropic-messages': fate('anthropic-messages'),
    gemini: fate('gemini'),
  };
}

describe.each(PROTOCOL_NAMES)('docs/reference/protocols/%s.md', (name) => {
  const rows = tableOf(name);

  test('has a row for every field of a request', () => {
    const described = new Set(rows.map((row) => row.field.split(/[.[]/)[0]));
    expect(Object.keys(SCHEMAS[name].shape).filter((field) => !described.has(field))).toEqual([]);
  });

  test('has one row for each field and example', () => {
    const keys = rows.map((row) => `${row.field} ${JSON.stringify(row.example)}`);
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  });

  test.each(rows.map((row) => ({ row, field: row.field, example: JSON.stringify(row.example) })))(
    '$field $example',
    ({ row }) => {
      expect(fatesOf(name, row)).toEqual(row.fates);
    },
  );
});
