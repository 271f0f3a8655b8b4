import { unwrapSignature } from '../../canonical/carried-thoughts.ts';
import { isForeignOpaque } from '../../canonical/opaque.ts';
import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { type JsonRecord, recordOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { ChatMessage } from '../shared/schema.ts';

const LIMITS = { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] };

/**
 * Removes signatures of other providers' models from earlier turns, which the upstream could not read. The text of
 * reasoning stays in `reasoning_content`.
 */
export function foreignSignatureEdits({ object, request }: ParsedRequest): Edit[] {
  const member = memberOf(object, 'messages');
  if (member === undefined || !request.messages.some(hasForeignSignature)) return [];
  const texts = elementsOf(object, member).map(({ start, end }, i) => {
    const bytes = object.bytes.subarray(start, end);
    const message = request.messages[i];
    const edited =
      message === undefined || !hasForeignSignature(message) ? bytes : withoutForeignSignatures(bytes, message);
    return edited.toString('utf8');
  });
  return [{ op: 'set', path: ['messages'], json: `[${texts.join(',')}]` }];
}

function hasForeignSignature(message: ChatMessage): boolean {
  if (message.role !== 'assistant') return false;
  return listOf(message['reasoning_details']).some(isForeignDetail) || (message.tool_calls ?? []).some(isForeignCall);
}

function isForeignDetail(detail: unknown): boolean {
  const { signature, data } = recordOr(detail);
  return isForeign(signature, 'openai-chat') || isForeign(data, 'openai-chat');
}

function isForeignCall(call: JsonRecord): boolean {
  return isForeign(signatureOf(call), 'gemini');
}

function signatureOf(call: JsonRecord): unknown {
  return recordOr(recordOr(call['extra_content'])['google'])['thought_signature'];
}

function isForeign(value: unknown, home: 'openai-chat' | 'gemini'): boolean {
  return typeof value === 'string' && isForeignOpaque(value, home);
}

function withoutForeignSignatures(bytes: Buffer, message: ChatMessage): Buffer {
  const scanned = scanObject(bytes, LIMITS);
  if (!scanned.ok) return bytes;
  const edits: Edit[] = [];
  const details = listOf(message['reasoning_details']);
  if (details.some(isForeignDetail)) {
    const kept = details.filter((detail) => !isForeignDetail(detail));
    edits.push(
      kept.length === 0
        ? { op: 'remove', path: ['reasoning_details'] }
        : { op: 'set', path: ['reasoning_details'], json: JSON.stringify(kept) },
    );
  }
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  if (calls.some(isForeignCall)) {
    const kept = calls.map((call) => (isForeignCall(call) ? withOwnSignature(call) : call));
    edits.push({ op: 'set', path: ['tool_calls'], json: JSON.stringify(kept) });
  }
  return splice(scanned.object, edits);
}

/** The call with only Google's signature in a wrapped one, if that has one. Other members beside the signature stay. */
function withOwnSignature(call: JsonRecord): JsonRecord {
  const { extra_content: extra, ...rest } = call;
  const { google, ...beside } = recordOr(extra);
  const { thought_signature: signature, ...others } = recordOr(google);
  const { opaque } = typeof signature === 'string' ? unwrapSignature(signature, 'gemini') : {};
  const isOwn = opaque?.origin === 'gemini' && opaque.of === undefined;
  const known = isOwn ? { ...others, thought_signature: opaque.data } : others;
  const kept = { ...beside, ...(Object.keys(known).length > 0 && { google: known }) };
  return Object.keys(kept).length > 0 ? { ...rest, extra_content: kept } : rest;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
