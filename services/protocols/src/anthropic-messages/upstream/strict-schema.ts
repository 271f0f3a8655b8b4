import { closedSchema, mapSchema } from '../../canonical/strict-schema.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';

/** https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations */
const UNHELD: readonly string[] = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

/** A schema that Anthropic enforces. */
export interface StrictSchema {
  readonly schema: JsonRecord;
  /** Rules of the client's schema that Anthropic cannot enforce, and that are written into descriptions instead. */
  readonly reported: ReadonlySet<string>;
  /** Whether an object of the client's schema said that it may have unlisted properties. */
  readonly isClosed: boolean;
}

/**
 * The schema in the form that Anthropic enforces for structured output and strict calls, as its SDKs write it: closed
 * objects, and unsupported rules in the descriptions. Undefined if an object allows unlisted properties.
 */
export function strictSchema(schema: JsonRecord): StrictSchema | undefined {
  const reported = new Set<string>();
  let isClosed = false;
  mapSchema(schema, (inner) => {
    const { additionalProperties: others } = inner;
    isClosed ||= others === true || isRecord(others);
    return inner;
  });
  const closed = closedSchema(schema);
  const strictForm =
    closed === undefined ? undefined : mapSchema(closed, (inner) => withRulesDescribed(inner, reported));
  return strictForm === undefined ? undefined : { schema: strictForm, reported, isClosed };
}

function withRulesDescribed(schema: JsonRecord, reported: Set<string>): JsonRecord {
  const kept: Record<string, unknown> = {};
  const rules: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    // It supports `anyOf`, but not `oneOf`.
    if (key === 'oneOf' && schema['anyOf'] === undefined) kept['anyOf'] = value;
    else if (UNHELD.includes(key) || (key === 'minItems' && value !== 0 && value !== 1)) {
      reported.add(key);
      rules.push(`${key}: ${JSON.stringify(value)}`);
    } else kept[key] = value;
  }
  if (rules.length === 0) return kept;
  const { description } = schema;
  const texts = [...(typeof description === 'string' ? [description] : []), rules.join(', ')];
  return { ...kept, description: texts.join('\n\n') };
}
