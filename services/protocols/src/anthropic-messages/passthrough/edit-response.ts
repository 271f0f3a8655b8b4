import { describeError } from '../../interface/errors.ts';
import type { ResponseContext, ResponseResult, ResponseTransformer } from '../../interface/protocol.ts';
import { readUpstreamCost } from '../../interface/upstream-cost.ts';
import { usageEdits } from '../../interface/usage-edit.ts';
import { parseJson, recordOr, stringOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { encodeUsage, readReport } from '../shared/usage.ts';
import { isBilledSearch, isProviderResult, textOfContent } from './generated-text.ts';

/** Responses are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usage'] };

/** Passes on a buffered response: the upstream's bytes except for the model's name and the cost. */
export function responseTransformer(context: ResponseContext): ResponseTransformer {
  return { transform: (body) => transform(body, context) };
}

function transform(body: Buffer, context: ResponseContext): ResponseResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const value = recordOr(parseJson(body.toString('utf8')));
  if (value['type'] === 'error' || (value['content'] === undefined && value['error'] !== undefined)) {
    return { kind: 'error', error: describeError(value) };
  }
  const { content } = value;
  if (!Array.isArray(content)) return { kind: 'malformed', problem: 'the response has no content' };
  const { object } = scanned;
  const { usage } = value;
  const cost = readUpstreamCost(usage, () => body.toString('utf8'), ['usage']);
  return {
    kind: 'response',
    ...readReport(usage, cost),
    finishReason: stringOr(value['stop_reason']),
    text: textOfContent(content),
    searches: content.filter((block) => isBilledSearch(recordOr(block))).length,
    repeatedPrompts: content.filter((block) => isProviderResult(recordOr(block))).length,
    render: (final) => splice(object, [modelEdit(context), ...usageEdits('usage', final, encodeUsage)]),
  };
}

function modelEdit(context: ResponseContext): Edit {
  return { op: 'set', path: ['model'], json: JSON.stringify(context.model) };
}
