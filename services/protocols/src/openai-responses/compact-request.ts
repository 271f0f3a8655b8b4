import { describeError } from '../interface/errors.ts';
import type {
  CanonicalResult,
  ClientRequestResult,
  Dispatch,
  Protocol,
  ResponseResult,
  ResponseTransformer,
} from '../interface/protocol.ts';
import { usageEdits } from '../interface/usage-edit.ts';
import { memberOf } from '../json/object.ts';
import { parseJson, recordOr } from '../json/record.ts';
import { scanObject } from '../json/scan.ts';
import { type Edit, splice } from '../json/splice.ts';
import type { Stages } from '../lists/stages.ts';
import { type Diagnostic, diagnostic } from '../request/diagnostics.ts';
import { parseRequest } from './client/parse.ts';
import { checkPolicy } from './client/policy.ts';
import { ResponsesClientRequest } from './client-request.ts';
import { openaiResponses } from './index.ts';
import { leaveOutItems } from './passthrough/edit-request.ts';
import { failureOf } from './shared/finish-reason.ts';
import { generatedText } from './shared/generated-text.ts';
import { encodeUsage, readReport } from './shared/usage.ts';

/** Fields of requests that the call does not have, and that make no difference to it. */
const NOT_IN_CALL = ['store', 'stream', 'stream_options', 'include'];

/**
 * A request to compact a conversation. What comes out can be read only by its provider, so only providers of the same
 * protocol can serve it.
 */
class CompactRequest extends ResponsesClientRequest {
  /** A summary needs no searches. Earlier ones for tools are part of the conversation. */
  override readonly hostedTools = undefined;
  override readonly policy = checkPolicy(this.parsed, { tool_search: 0 });
  override readonly isStream = false;
  override readonly keepsItems = false;
  readonly passthroughPath = '/responses/compact';
  readonly isUnlimited = true;

  // biome-ignore lint/correctness/useYield: the interface is that of requests that are translated in stages.
  override *canonical(): Stages<CanonicalResult> {
    return { ok: false, error: diagnostic('model', NOT_COMPACTING) };
  }

  override editRequest({ upstreamModel }: Dispatch): Buffer {
    const { object, request } = this.parsed;
    const removed = new Set([...NOT_IN_CALL, ...this.policy.droppedFields]);
    const edits: Edit[] = [...removed].flatMap((field) =>
      memberOf(object, field) === undefined ? [] : [{ op: 'remove', path: [field] }],
    );
    if (upstreamModel !== request.model)
      edits.push({ op: 'set', path: ['model'], json: JSON.stringify(upstreamModel) });
    leaveOutItems(edits, this.parsed, this.policy);
    return splice(object, edits);
  }

  /** The call has none of the fields that models reject. */
  override adjustmentWarnings(): readonly Diagnostic[] {
    return [];
  }

  override responseTransformer(): ResponseTransformer {
    return { transform: readCompaction };
  }
}

const NOT_COMPACTING =
  'its provider does not compact conversations; ask for a summary with a request to /v1/responses, and send that instead of the conversation';

/** Responses are scanned as leniently as JSON.parse, since providers may nest deeply and repeat keys. */
const LIMITS = { maxDepth: 256, uniqueKeys: false, within: ['usage'] };

function readCompaction(body: Buffer): ResponseResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { kind: 'malformed', problem: scanned.error.message };
  const response = recordOr(parseJson(body.toString('utf8')));
  const failure = failureOf(response);
  if (failure !== undefined) return { kind: 'error', error: describeError(failure) };
  const { output } = response;
  if (!Array.isArray(output)) return { kind: 'malformed', problem: 'the compaction has no output' };
  return {
    kind: 'response',
    ...readReport(response, body, []),
    finishReason: '',
    text: output.map((item) => compactedText(recordOr(item))).join(''),
    render: (final) => splice(scanned.object, usageEdits('usage', final, encodeUsage)),
  };
}

/** What was generated: not the user's messages, which are repeated. Encrypted text is at most as long. */
function compactedText(item: Readonly<Record<string, unknown>>): string {
  const { type, encrypted_content: encrypted } = item;
  if (type === 'message') return '';
  return type === 'compaction' && typeof encrypted === 'string' ? encrypted : generatedText(item);
}

function* parseCompactRequest(body: Buffer): Stages<ClientRequestResult> {
  const result = yield* parseRequest(body);
  return result.ok ? { ok: true, request: new CompactRequest(result.parsed) } : result;
}

/** `/responses/compact`, whose body is that of a request with fewer fields. */
export const openaiCompaction: Protocol = { ...openaiResponses, parseRequest: parseCompactRequest };
