import { describeError } from '../../../interface/errors.ts';
import type { ResponseResult, ResponseTransformer } from '../../../interface/protocol.ts';
import { usageEdits } from '../../../interface/usage-edit.ts';
import { memberOf } from '../../../json/object.ts';
import { parseJson } from '../../../json/record.ts';
import { scanObject } from '../../../json/scan.ts';
import { splice } from '../../../json/splice.ts';
import { encodeUsage, readUsage, unreadableUsage } from '../shared/usage.ts';

const LIMITS = { maxDepth: 64, uniqueKeys: false, within: ['usageMetadata'] };

/**
 * Passes on a response: the upstream's bytes except for the cost. The vectors are not parsed.
 *
 * @param name of the member with the vectors
 */
export function responseTransformer(name: 'embedding' | 'embeddings'): ResponseTransformer {
  return { transform: (body) => read(body, name) };
}

function read(body: Buffer, name: 'embedding' | 'embeddings'): ResponseResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const { object } = scanned;
  const parsed = (key: string): unknown => {
    const member = memberOf(object, key);
    return member === undefined ? undefined : parseJson(body.toString('utf8', member.valueStart, member.valueEnd));
  };
  if (memberOf(object, 'error')?.kind === 'object') {
    return { kind: 'error', error: describeError({ error: parsed('error') }) };
  }
  const expected = name === 'embedding' ? 'object' : 'array';
  if (memberOf(object, name)?.kind !== expected) return { kind: 'malformed', problem: `the response has no ${name}` };
  const report = parsed('usageMetadata');
  return {
    kind: 'response',
    usage: readUsage(report),
    unreadable: unreadableUsage(report),
    finishReason: '',
    text: '',
    render: (final) => splice(object, usageEdits('usageMetadata', final, encodeUsage)),
  };
}
