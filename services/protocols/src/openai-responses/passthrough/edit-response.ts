import { describeError } from '../../interface/errors.ts';
import type { FinalUsage, ResponseContext, ResponseResult, ResponseTransformer } from '../../interface/protocol.ts';
import { usageEdits } from '../../interface/usage-edit.ts';
import type { JsonObject } from '../../json/object.ts';
import { parseJson, recordOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { failureOf, finishWord } from '../shared/finish-reason.ts';
import { generatedText } from '../shared/generated-text.ts';
import { usesOf, withUses } from '../shared/searches.ts';
import { encodeUsage, readReport } from '../shared/usage.ts';

/** Responses are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usage'] };

/** Passes on a buffered response of responses. */
export function responseTransformer({ model }: ResponseContext): ResponseTransformer {
  return { transform: (body) => read(body, model) };
}

function read(body: Buffer, model: string): ResponseResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const response = recordOr(parseJson(body.toString('utf8')));
  const failure = failureOf(response);
  if (failure !== undefined) return { kind: 'error', error: describeError(failure) };
  const { output } = response;
  if (!Array.isArray(output)) return { kind: 'malformed', problem: 'the response has no output' };
  return {
    kind: 'response',
    ...withUses(readReport(response, body, []), usesOf(response)),
    finishReason: finishWord(response),
    text: output.map((item) => generatedText(recordOr(item))).join(''),
    render: (final) => renderResponse(scanned.object, model, final),
  };
}

/**
 * A response object for the client: the upstream's bytes except for the model's name and, in the last one, the usage.
 *
 * @param object scanned within `usage`
 */
export function renderResponse(object: JsonObject, model: string, final: FinalUsage | undefined): Buffer {
  const edits: Edit[] = [{ op: 'set', path: ['model'], json: JSON.stringify(model) }];
  if (final !== undefined) edits.push(...usageEdits('usage', final, encodeUsage));
  return splice(object, edits);
}
