import { describeError } from '../../interface/errors.ts';
import type { ResponseContext, ResponseResult, ResponseTransformer } from '../../interface/protocol.ts';
import { usageEdits } from '../../interface/usage-edit.ts';
import { isRecord, parseJson } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { readChunk } from '../shared/chunk.ts';
import { Grounding, NO_WEB_TOOLS } from '../shared/grounding.ts';
import { encodeUsage, withTrafficType } from '../shared/usage.ts';

/** Responses are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usageMetadata'] };

/** Passes on a buffered response: the upstream's bytes except for `modelVersion` and the cost. */
export function responseTransformer(context: ResponseContext, declared = NO_WEB_TOOLS): ResponseTransformer {
  return { transform: (body) => read(body, context, new Grounding(declared)) };
}

function read(body: Buffer, { model }: ResponseContext, grounding: Grounding): ResponseResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const value = parseJson(body.toString('utf8'));
  if (!isRecord(value)) return { kind: 'malformed', problem: 'the response is not an object' };
  if (isRecord(value['error'])) return { kind: 'error', error: describeError(value) };
  const facts = readChunk(value, grounding);
  if (facts === undefined || (facts.seen.length === 0 && !facts.isBlocked)) {
    return { kind: 'malformed', problem: 'the response has no candidates' };
  }
  const { object } = scanned;
  const { usage, unreadable, details, finishReason, text, searches } = facts;
  return {
    kind: 'response',
    usage,
    unreadable,
    details,
    finishReason,
    text,
    searches,
    render: (final) => {
      const edits: Edit[] = [
        { op: 'set', path: ['modelVersion'], json: JSON.stringify(model) },
        ...usageEdits('usageMetadata', { ...final, estimated: final.estimated || usage === undefined }, (used, cost) =>
          withTrafficType(encodeUsage(used, cost), value['usageMetadata']),
        ),
      ];
      return splice(object, edits);
    },
  };
}
