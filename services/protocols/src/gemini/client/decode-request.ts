import type { Message } from '../../canonical/message.ts';
import type { TextPart } from '../../canonical/part.ts';
import type { CanonicalResult } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { decodeMediaResolution, MEDIA_RESOLUTION_FIELD } from '../shared/media-resolution.ts';
import type { GeminiContent } from '../shared/schema.ts';
import { decodeConfig } from './decode-config.ts';
import { decodeContents } from './decode-contents.ts';
import { decodeTools } from './decode-tools.ts';
import { losslessObjects } from './lossless-objects.ts';
import type { ParsedRequest } from './parse.ts';
import { RequestDiagnostics } from './request-diagnostics.ts';

/** Fields that are decoded here, and those that the policies check. */
const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'cachedContent',
  'continuationToken',
  'labels',
  'serviceTier',
  'store',
]);

/** A request in canonical form. */
export function* decodeRequest(parsed: ParsedRequest): Stages<CanonicalResult> {
  const { request, aliases } = parsed;
  const diagnostics = new RequestDiagnostics(aliases);
  diagnostics.unknown(request, KNOWN, '');
  const config = request.generationConfig ?? {};
  const { fields, names } = decodeConfig(config, diagnostics);
  const { tools, toolChoice } = yield* decodeTools(request, diagnostics);
  const detail = decodeMediaResolution(config.mediaResolution ?? undefined);
  if (detail === undefined && config.mediaResolution) diagnostics.warnDropped(MEDIA_RESOLUTION_FIELD);
  const instructions = request.systemInstruction
    ? yield* decodeInstructions(request.systemInstruction, diagnostics)
    : [];
  const lossless = yield* losslessObjects(parsed);
  const contents = yield* decodeContents(request.contents, diagnostics, lossless, { detail });
  if (instructions.length + contents.length === 0) {
    diagnostics.reject('contents', 'expected at least one part with content');
  }
  const hasLabels = request.labels && Object.keys(request.labels).length > 0;
  const { error } = diagnostics;
  if (error !== undefined) return { ok: false, error: error };
  return {
    ok: true,
    request: {
      ...fields,
      ...(toolChoice !== undefined && { toolChoice }),
      ...(hasLabels && { metadata: request.labels ?? {} }),
      messages: [...instructions, ...contents],
      tools,
      names: {
        ...names,
        ...(toolChoice !== undefined && { toolChoice: diagnostics.at('toolConfig.functionCallingConfig') }),
        ...(hasLabels && { metadata: diagnostics.at('labels') }),
      },
    },
    warnings: diagnostics.warnings,
  };
}

function* decodeInstructions(
  { parts }: Pick<GeminiContent, 'parts'>,
  diagnostics: RequestDiagnostics,
): Stages<Message[]> {
  const texts: TextPart[] = [];
  for (const [i, part] of (parts ?? []).entries()) {
    if (isTurnOver()) yield;
    const path = `systemInstruction.parts[${i}]`;
    if (hasOther(part)) diagnostics.reject(path, 'instructions must be text');
    if (part.text) texts.push({ type: 'text', text: part.text, at: diagnostics.at(path) });
  }
  return texts.length === 0 ? [] : [{ role: 'system', parts: texts, at: diagnostics.at('systemInstruction') }];
}

function hasOther(part: JsonRecord): boolean {
  return ['inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult'].some(
    (kind) => part[kind] !== undefined && part[kind] !== null,
  );
}
