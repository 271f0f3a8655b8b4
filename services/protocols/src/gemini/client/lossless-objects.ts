import { parseLosslessObject } from '../../json/lossless.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { ParsedRequest } from './parse.ts';

/** Inputs and results of functions with all digits of their numbers, by the path of the part. */
export type LosslessObjects = (path: string) => JsonRecord | undefined;

const NOTHING: LosslessObjects = () => undefined;

/** Finds the inputs and results of functions, with all digits of their numbers. */
export function* losslessObjects({ object, request, aliases }: ParsedRequest): Stages<LosslessObjects> {
  let hasTools = false;
  for (const { parts } of request.contents) {
    hasTools ||= parts?.some((part) => part.functionCall ?? part.functionResponse) ?? false;
    if (isTurnOver(1 + (parts?.length ?? 0))) yield;
  }
  const body = hasTools ? parseLosslessObject(object.bytes.toString('utf8', object.start, object.end)) : undefined;
  if (body === undefined) return NOTHING;
  return (path) => at(body, aliases.path(path));
}

function at(body: JsonRecord, path: string): JsonRecord | undefined {
  let value: unknown = body;
  for (const [, index, key = ''] of path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)) {
    if (index !== undefined) value = Array.isArray(value) ? value[Number(index)] : undefined;
    else value = isRecord(value) ? value[key] : undefined;
  }
  return isRecord(value) ? value : undefined;
}
