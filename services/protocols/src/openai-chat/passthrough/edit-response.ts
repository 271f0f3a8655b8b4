import type { Usage } from '../../canonical/usage.ts';
import { describeError, type UpstreamError } from '../../interface/errors.ts';
import type { ResponseContext, ResponseResult, ResponseTransformer } from '../../interface/protocol.ts';
import { costDetailEdits } from '../../interface/upstream-cost.ts';
import type { JsonObject } from '../../json/object.ts';
import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { choiceError } from '../shared/chunk.ts';
import { generatedText } from '../shared/generated-text.ts';
import { type ChatReport, encodeUsage, readReport } from '../shared/usage.ts';

/** Passes on a buffered response: the upstream's bytes except for the model's name, the cost and an estimated usage. */
export function responseTransformer({ model }: ResponseContext): ResponseTransformer {
  return { transform: (body) => transform(body, model) };
}

function transform(body: Buffer, model: string): ResponseResult {
  const result = readCompletion(body);
  if (result.kind !== 'completion') return result;
  const { report, finishReason, text } = result;
  const { usage, unreadable, details } = report;
  return {
    kind: 'response',
    usage,
    unreadable,
    details,
    finishReason,
    text,
    render: (final) => {
      const isGenerated = final.estimated || !report.isInPlace;
      return editCompletion(result, { model, cost: final.cost, usage: isGenerated ? final.usage : undefined });
    },
  };
}

/** An upstream's buffered response, which the client gets with the edits below. */
export interface ChatCompletion {
  readonly kind: 'completion';
  readonly object: JsonObject;
  readonly report: ChatReport;
  /** Of the first choice; empty if it has none. */
  readonly finishReason: string;
  /** The text of all choices, for counting it. */
  readonly text: string;
}

export type CompletionResult =
  | ChatCompletion
  /** An `error` with a success status. */
  | { readonly kind: 'error'; readonly error: UpstreamError }
  /** Not a completion. */
  | { readonly kind: 'malformed'; readonly problem: string };

/** Responses are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usage'] };

/** Parses the body of a successful response. */
export function readCompletion(body: Buffer): CompletionResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const value = recordOr(parseJson(body.toString('utf8')));
  if (isRecord(value['error'])) return { kind: 'error', error: describeError(value) };
  const { choices } = value;
  const broken = choiceError(choices);
  if (broken !== undefined) return { kind: 'error', error: broken };
  if (!Array.isArray(choices)) return { kind: 'malformed', problem: 'the response has no choices' };
  const records: JsonRecord[] = choices.map(recordOr);
  return {
    kind: 'completion',
    object: scanned.object,
    report: readReport(value, body),
    finishReason: stringOr(records[0]?.['finish_reason']),
    text: records.map((choice) => generatedText(recordOr(choice['message']))).join(''),
  };
}

export interface CompletionEdits {
  /** The model's name here. */
  readonly model: string;
  /** A JSON number of US dollars. */
  readonly cost: string;
  /** Replaces the upstream's usage if that is missing, implausible or elsewhere. */
  readonly usage: Usage | undefined;
}

/** The response for the client: the upstream's bytes except for `model` and `usage`. */
export function editCompletion(completion: ChatCompletion, { model, cost, usage }: CompletionEdits): Buffer {
  const edits: Edit[] = [{ op: 'set', path: ['model'], json: JSON.stringify(model) }];
  if (usage !== undefined) edits.push({ op: 'set', path: ['usage'], json: encodeUsage(usage, cost) });
  else edits.push({ op: 'set', path: ['usage', 'cost'], json: cost }, ...costDetailEdits('usage'));
  return splice(completion.object, edits);
}
