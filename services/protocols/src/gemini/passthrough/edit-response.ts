import { isRecord, parseJson } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { AnswerContext, AnswerPassage, AnswerReading } from '../../protocol.ts';
import { describeError } from '../../upstream-error.ts';
import { readChunk } from '../shared/chunk.ts';
import { geminiUsageJson } from '../usage.ts';

/** Answers are looked through with JSON.parse's own tolerance: providers may nest and repeat. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usageMetadata'] };

/** Takes a whole answer to the client: the upstream's bytes but for `modelVersion` and the cost. */
export function geminiAnswerPassage(context: AnswerContext): AnswerPassage {
  return { read: (body) => read(body, context) };
}

function read(body: Buffer, { model }: AnswerContext): AnswerReading {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const value = parseJson(body.toString('utf8'));
  if (!isRecord(value)) return { kind: 'malformed', problem: 'the answer is no object' };
  if (isRecord(value['error'])) return { kind: 'error', error: describeError(value) };
  const facts = readChunk(value);
  if (facts === undefined || (facts.seen.length === 0 && !facts.isBlocked)) {
    return { kind: 'malformed', problem: 'the answer has no candidates' };
  }
  const { object } = scanned;
  const { usage, unreadable, finishReason, text } = facts;
  return {
    kind: 'answer',
    usage,
    unreadable,
    finishReason,
    text,
    render: (final) => {
      const edits: Edit[] = [
        { op: 'set', path: ['modelVersion'], json: JSON.stringify(model) },
        final.estimated || usage === undefined
          ? { op: 'set', path: ['usageMetadata'], json: geminiUsageJson(final.usage, final.cost) }
          : { op: 'set', path: ['usageMetadata', 'cost'], json: final.cost },
      ];
      return splice(object, edits);
    },
  };
}
