import { detailsOf } from '../../../canonical/usage-report.ts';
import { describeError } from '../../../interface/errors.ts';
import type { ResponseContext, ResponseResult, ResponseTransformer } from '../../../interface/protocol.ts';
import { readUpstreamCost } from '../../../interface/upstream-cost.ts';
import { usageEdits } from '../../../interface/usage-edit.ts';
import { type JsonMember, type JsonObject, memberOf } from '../../../json/object.ts';
import { parseJson } from '../../../json/record.ts';
import { scanObject } from '../../../json/scan.ts';
import { type Edit, splice } from '../../../json/splice.ts';
import { type EncodingFormat, encodeData } from '../client/encode-response.ts';
import { encodeUsage, readUsage, unreadableUsage } from '../shared/usage.ts';
import { decodeResponse } from '../upstream/decode-response.ts';

const LIMITS = { maxDepth: 64, uniqueKeys: false, within: ['usage'] };

/**
 * Passes on a response: the upstream's bytes except for the model's name and the cost. The vectors are parsed only if
 * the upstream sent them in another format than the client requested.
 */
export function responseTransformer(format: EncodingFormat, context: ResponseContext): ResponseTransformer {
  return { transform: (body) => read(body, format, context) };
}

function read(body: Buffer, format: EncodingFormat, context: ResponseContext): ResponseResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const { object } = scanned;
  const error = memberOf(object, 'error');
  if (error?.kind === 'object') {
    return { kind: 'error', error: describeError({ error: parsedValue(object, error) }) };
  }
  const data = memberOf(object, 'data');
  if (data?.kind !== 'array') return { kind: 'malformed', problem: 'the response has no data' };
  const edits: Edit[] = [{ op: 'set', path: ['model'], json: JSON.stringify(context.model) }];
  const found = formatOf(object, data);
  if (found !== format) {
    const decoded = decodeResponse(body);
    if (decoded.kind !== 'response') return decoded;
    edits.push({ op: 'set', path: ['data'], json: encodeData(decoded.vectors, format) });
  }
  const usage = memberOf(object, 'usage');
  const usageText = usage === undefined ? '' : object.bytes.toString('utf8', usage.valueStart, usage.valueEnd);
  const report = parseJson(usageText);
  return {
    kind: 'response',
    usage: readUsage(report),
    unreadable: unreadableUsage(report),
    details: detailsOf({ upstreamCostNanos: readUpstreamCost(report, () => `{"usage":${usageText}}`, ['usage']) }),
    finishReason: '',
    text: '',
    render: (final) => splice(object, [...edits, ...usageEdits('usage', final, encodeUsage)]),
  };
}

function parsedValue({ bytes }: JsonObject, member: JsonMember): unknown {
  return parseJson(bytes.toString('utf8', member.valueStart, member.valueEnd));
}

const KEY = Buffer.from('"embedding"');

/** The format of the first vector, from its first byte; undefined if there is none. */
function formatOf({ bytes }: JsonObject, data: JsonMember): EncodingFormat | undefined {
  let at = bytes.indexOf(KEY, data.valueStart);
  while (at >= 0 && at < data.valueEnd) {
    const after = skipSpace(bytes, at + KEY.length);
    // The key also occurs as a value: `"object": "embedding"`.
    if (bytes[after] === 0x3a) {
      const first = bytes[skipSpace(bytes, after + 1)];
      return first === 0x22 ? 'base64' : first === 0x5b ? 'float' : undefined;
    }
    at = bytes.indexOf(KEY, after);
  }
  return undefined;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}
