import type { OutputPart } from '../../canonical/part.ts';
import { describeError } from '../../interface/errors.ts';
import type { DecodeContext, DecodeResult } from '../../interface/protocol.ts';
import { readUpstreamCost } from '../../interface/upstream-cost.ts';
import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import { decodeCitations } from '../shared/citations.ts';
import { decodeFinish } from '../shared/finish-reason.ts';
import { decodeReasoning } from '../shared/reasoning.ts';
import { toolInputs } from '../shared/tool-inputs.ts';
import { readReport } from '../shared/usage.ts';

/** Decodes a buffered response. Blocks of kinds that no other protocol has, such as runs of provider tools, are left out. */
export function decodeResponse(body: Buffer, context: DecodeContext): DecodeResult {
  const value = parseJson(body.toString('utf8'));
  if (!isRecord(value)) return { kind: 'malformed', problem: 'the response is not a JSON object' };
  if (value['type'] === 'error' || (value['content'] === undefined && value['error'] !== undefined)) {
    return { kind: 'error', error: describeError(value) };
  }
  const { content } = value;
  if (!Array.isArray(content)) return { kind: 'malformed', problem: 'the response has no content' };
  const blocks: JsonRecord[] = content.map(recordOr);
  const cost = readUpstreamCost(value['usage'], () => body.toString('utf8'), ['usage']);
  const { usage, unreadable, details } = readReport(value['usage'], cost);
  const inputs = blocks.some((block) => block['type'] === 'tool_use') ? toolInputs(body) : () => '{}';
  return {
    kind: 'response',
    response: {
      id: stringOr(value['id']),
      created: undefined,
      choices: [
        {
          parts: blocks.flatMap((block, index) => partOf(block, inputs, index, context) ?? []),
          finish: decodeFinish(value['stop_reason'], value['stop_sequence']),
        },
      ],
      usage,
      ...(details !== undefined && { usageDetails: details }),
    },
    unreadable,
  };
}

function partOf(
  block: JsonRecord,
  inputs: (index: number) => string,
  index: number,
  context: DecodeContext,
): OutputPart | undefined {
  switch (block['type']) {
    case 'text': {
      const text = stringOr(block['text']);
      const citations = decodeCitations(block['citations']);
      if (text === '' && citations.length === 0) return undefined;
      return citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations };
    }
    case 'tool_use': {
      const id = stringOr(block['id']) || `call_${context.newId()}`;
      return { type: 'tool-call', id, name: stringOr(block['name']), kind: 'function', input: inputs(index) };
    }
    default:
      return decodeReasoning(block);
  }
}
