import type { z } from 'zod';
import type { FieldNote } from '../../field-note.ts';
import { describeIssue } from '../../json/issue.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isReference } from '../items/references.ts';
import { type ItemKind, type ItemOf, itemSchemas } from '../schema.ts';

/** One item of `input` that is well formed. `other`: one of a type whose shape is not judged here. */
export type InputItem =
  | { [K in ItemKind]: { readonly kind: K; readonly item: ItemOf<K> } }[ItemKind]
  | { readonly kind: 'other'; readonly type: string; readonly item: JsonRecord };

type Reading =
  | { readonly ok: true; readonly items: readonly InputItem[] }
  | { readonly ok: false; readonly error: FieldNote };

/** Reads the items of `input`, each by the schema of its type. */
export function readItems(input: readonly JsonRecord[]): Reading {
  const items: InputItem[] = [];
  for (let i = 0; i < input.length; i++) {
    const value = input[i];
    if (value === undefined) continue;
    const read = readItem(value, i);
    if ('path' in read) return { ok: false, error: read };
    items.push(read);
  }
  return { ok: true, items };
}

function readItem(value: JsonRecord, index: number): InputItem | FieldNote {
  if (isReference(value)) return unresolved(`input[${index}]`);
  const type = value['type'];
  switch (type) {
    case undefined:
    case null:
    case 'message':
      return judge(itemSchemas.message, value, index, (item) => ({ kind: 'message', item }));
    case 'function_call':
      return judge(itemSchemas[type], value, index, (item) => ({ kind: type, item }));
    case 'function_call_output':
      return judge(itemSchemas[type], value, index, (item) => ({ kind: type, item }));
    case 'custom_tool_call':
      return judge(itemSchemas[type], value, index, (item) => ({ kind: type, item }));
    case 'custom_tool_call_output':
      return judge(itemSchemas[type], value, index, (item) => ({ kind: type, item }));
    case 'reasoning':
      return judge(itemSchemas[type], value, index, (item) => ({ kind: type, item }));
    default:
      if (typeof type === 'string') return { kind: 'other', type, item: value };
      return { path: `input[${index}].type`, message: `input[${index}].type: expected a string` };
  }
}

function judge<T>(
  schema: z.ZodType<T>,
  value: JsonRecord,
  index: number,
  wrap: (item: T) => InputItem,
): InputItem | FieldNote {
  const parsed = schema.safeParse(value);
  if (conforms(value, parsed)) return wrap(value);
  const path = `input[${index}]`;
  const issue = parsed.error?.issues[0];
  if (issue === undefined) return { path, message: `${path}: malformed` };
  return describeIssue({ ...issue, path: ['input', index, ...issue.path] }, { input: { [index]: value } });
}

/** The schemas change nothing, so what they accept is an item as it is. */
function conforms<T>(_value: unknown, parsed: z.ZodSafeParseResult<T>): _value is T {
  return parsed.success;
}

function unresolved(path: string): FieldNote {
  return {
    path,
    message:
      `${path}: a reference to an item that is not known here; send the item itself ` +
      '(with the Vercel AI SDK set providerOptions.openai.store to false)',
  };
}
