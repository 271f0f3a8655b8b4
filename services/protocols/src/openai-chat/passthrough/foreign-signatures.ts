import { unwrapSignature } from '../../canonical/carried-thoughts.ts';
import { isForeignOpaque } from '../../canonical/opaque.ts';
import type { JsonObject } from '../../json/object.ts';
import { type JsonRecord, recordOr } from '../../json/record.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { ChatMessage } from '../shared/schema.ts';
import type { MessageRule } from './edit-messages.ts';

/**
 * Removes signatures of other providers' models from earlier turns, which the upstream could not read. The text of
 * reasoning stays in `reasoning_content`.
 */
export const foreignSignatures: MessageRule = { appliesTo: hasForeignSignature, edit: withoutForeignSignatures };

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

function withoutForeignSignatures(object: JsonObject, message: ChatMessage): Buffer {
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
  return splice(object, edits);
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
