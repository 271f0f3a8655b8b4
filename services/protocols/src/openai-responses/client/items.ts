import type { z } from 'zod';
import { type Offsets, piecesOf } from '../../json/pieces.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import type { Stages } from '../../lists/stages.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';
import { describeIssue } from '../../request/schema-issue.ts';
import { isReference } from '../shared/item-references.ts';
import { type ItemKind, type ItemOf, itemSchemas } from '../shared/schema.ts';

/** One valid item of `input`. `other`: an item of a type without a schema here. */
export type InputItem =
  | { [K in ItemKind]: { readonly kind: K; readonly item: ItemOf<K> } }[ItemKind]
  | { readonly kind: 'other'; readonly type: string; readonly item: JsonRecord };

type ItemsResult =
  | { readonly ok: true; readonly items: readonly InputItem[] }
  | { readonly ok: false; readonly error: Diagnostic };

/** Parses the items of `input`, each with the schema of its type. */
export function* parseItems(input: readonly JsonRecord[]): Stages<ItemsResult> {
  const items: InputItem[] = [];
  const offsets: Offsets = new WeakMap();
  for (const range of piecesOf(input, offsets)) {
    if (!Array.isArray(range)) continue;
    const start = offsets.get(range) ?? 0;
    for (const [i, piece] of range.entries()) {
      const item = input[start + i];
      if (item === undefined || !isRecord(piece)) continue;
      const read = parseItem({ item, piece, index: start + i, offsets });
      if ('path' in read) return { ok: false, error: read };
      items[start + i] = read;
    }
    yield;
  }
  return { ok: true, items };
}

/** An item that is checked in pieces (see piecesOf). */
interface ItemPiece {
  readonly item: JsonRecord;
  readonly piece: JsonRecord;
  readonly index: number;
  readonly offsets: Offsets;
}

function parseItem(source: ItemPiece): InputItem | Diagnostic {
  const { item: value, index } = source;
  if (isReference(value)) return unresolved(`input[${index}]`);
  const type = value['type'];
  switch (type) {
    case undefined:
    case null:
    case 'message':
      return parseAs(itemSchemas.message, source, (item) => ({ kind: 'message', item }));
    case 'function_call':
      return parseAs(itemSchemas[type], source, (item) => ({ kind: type, item }));
    case 'function_call_output':
      return parseAs(itemSchemas[type], source, (item) => ({ kind: type, item }));
    case 'custom_tool_call':
      return parseAs(itemSchemas[type], source, (item) => ({ kind: type, item }));
    case 'custom_tool_call_output':
      return parseAs(itemSchemas[type], source, (item) => ({ kind: type, item }));
    case 'reasoning':
      return parseAs(itemSchemas[type], source, (item) => ({ kind: type, item }));
    default:
      if (typeof type === 'string') return { kind: 'other', type, item: value };
      return { path: `input[${index}].type`, message: `input[${index}].type: expected a string` };
  }
}

function parseAs<T>(
  schema: z.ZodType<T>,
  { item, piece, index, offsets }: ItemPiece,
  wrap: (item: T) => InputItem,
): InputItem | Diagnostic {
  const parsed = schema.safeParse(piece);
  if (conforms(item, parsed)) return wrap(item);
  const path = `input[${index}]`;
  const issue = parsed.error?.issues[0];
  if (issue === undefined) return { path, message: `${path}: malformed` };
  return describeIssue({ ...issue, path: ['input', index, ...issue.path] }, { input: { [index]: piece } }, offsets);
}

/** The schemas change nothing, so an accepted value is the item itself. */
function conforms<T>(_value: unknown, parsed: z.ZodSafeParseResult<T>): _value is T {
  return parsed.success;
}

function unresolved(path: string): Diagnostic {
  return {
    path,
    message:
      `${path}: a reference to an item that is not known here; send the item itself ` +
      '(with the Vercel AI SDK set providerOptions.openai.store to false)',
  };
}
