import type { ModelParameters } from '../../interface/parameters.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import { unsignedCallSignature } from '../shared/model.ts';
import type { GeminiContent } from '../shared/schema.ts';
import { decodeSignature, isWrappedSignature } from '../shared/signature.ts';

/** Paths of wrapped thought signatures, which Google would reject, in camel case. */
export function findForeignSignatures(contents: readonly GeminiContent[]): string[] {
  const paths: string[] = [];
  for (const [i, { parts }] of contents.entries()) {
    for (const [j, part] of (parts ?? []).entries()) {
      const signature = part.thoughtSignature;
      if (signature && isWrappedSignature(signature)) paths.push(`contents[${i}].parts[${j}].thoughtSignature`);
    }
  }
  return paths;
}

/** The contents without signatures of other providers. A thought is removed with its signature, since it is not this provider's. */
export function withoutForeignSignatures(contents: readonly unknown[], parameters?: ModelParameters): unknown[] {
  const substitute = unsignedCallSignature(parameters);
  return contents.flatMap((content) => (isRecord(content) ? stripContent(content, substitute) : [content]));
}

/** A content without remaining parts is removed: Google's SDK sends each piece of a stream as one. */
function stripContent(content: JsonRecord, substitute: string | undefined): JsonRecord[] {
  const { parts } = content;
  if (parts === undefined || parts === null) return [content];
  const list: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  const kept = list.flatMap((part) => (isRecord(part) ? stripPart(part, substitute) : [part]));
  return kept.length === 0 && list.length > 0 ? [] : [{ ...content, parts: kept }];
}

function stripPart(part: JsonRecord, substitute: string | undefined): JsonRecord[] {
  const key = 'thoughtSignature' in part ? 'thoughtSignature' : 'thought_signature';
  const signature = part[key];
  if (typeof signature !== 'string' || !isWrappedSignature(signature)) return [part];
  const { opaque } = decodeSignature(signature);
  if (opaque?.origin === 'gemini') return [{ ...part, [key]: opaque.data }];
  if (part['thought'] === true) return [];
  const { [key]: _foreign, ...rest } = part;
  const isCall = 'functionCall' in part || 'function_call' in part;
  return [isCall && substitute !== undefined ? { ...rest, [key]: substitute } : rest];
}
