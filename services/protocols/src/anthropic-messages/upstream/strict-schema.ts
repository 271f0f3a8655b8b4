import { closedSchema, mapSchema } from '../../canonical/strict-schema.ts';
import type { JsonRecord } from '../../json/record.ts';

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

/** A schema that Anthropic holds a model to. */
export interface StrictSchema {
  readonly schema: JsonRecord;
  /** Rules of the client's schema that it cannot hold a model to, and that stand in descriptions therefore. */
  readonly reported: ReadonlySet<string>;
}

/**
 * The schema in the form that Anthropic holds answers and strict calls to, as its own SDKs write it: closed objects, and
 * what it has no rules for in the descriptions. Undefined where an object is meant to hold what the schema does not list.
 */
export function strictSchema(schema: JsonRecord): StrictSchema | undefined {
  const reported = new Set<string>();
  const closed = closedSchema(schema);
  const held = closed === undefined ? undefined : mapSchema(closed, (inner) => withRulesDescribed(inner, reported));
  return held === undefined ? undefined : { schema: held, reported };
}

function withRulesDescribed(schema: JsonRecord, reported: Set<string>): JsonRecord {
  const kept: Record<string, unknown> = {};
  const rules: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    // Of `oneOf` it knows the weaker form alone.
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
