import type { Dispatch } from '../../interface/protocol.ts';
import { parseLosslessObject } from '../../json/lossless.ts';
import { memberOf } from '../../json/object.ts';
import { parseJson } from '../../json/record.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Adjustment, combineEdits, editsOf, nameOf, warningsOf } from '../../request/adjustment.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import { REPEATED_RESULT } from '../client/call-ids.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { GeminiPolicy } from '../client/policy-result.ts';
import { adjustmentsOf } from '../shared/adjust.ts';
import { bareModel } from '../shared/model.ts';
import { findForeignSignatures, withoutForeignSignatures } from './foreign-signatures.ts';
import { findRepeatedResults, type PartPlace, withoutParts } from './repeated-results.ts';

/** What Google would refuse in the contents. */
export interface RefusedContents {
  /** Paths, see findForeignSignatures. */
  readonly foreignSignatures: readonly string[];
  readonly repeatedResults: readonly PartPlace[];
}

export function findRefusedContents({ request: { contents } }: ParsedRequest): RefusedContents {
  return { foreignSignatures: findForeignSignatures(contents), repeatedResults: findRepeatedResults(contents) };
}

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * the output limit that the balance allows, and what the model would reject adjusted.
 */
export function editRequest(
  parsed: ParsedRequest,
  policy: GeminiPolicy,
  refused: RefusedContents,
  dispatch: Dispatch,
): Buffer {
  const { object, request, aliases } = parsed;
  const edits: Edit[] = [];
  for (const [field, json] of policy.replaced) edits.push({ op: 'set', path: [aliases.path(field)], json });
  // The path names the model; the body must not name another.
  if (typeof request.model === 'string') {
    edits.push({ op: 'set', path: ['model'], json: JSON.stringify(`models/${bareModel(dispatch.upstreamModel)}`) });
  }
  if (dispatch.outputTokens !== undefined) {
    const [outer, inner] = keysOf(aliases.path('generationConfig.maxOutputTokens'));
    edits.push({ op: 'set', path: [outer, inner], json: String(dispatch.outputTokens) });
  }
  if (policy.tools !== undefined) {
    if (policy.tools.json !== undefined) edits.push({ op: 'set', path: ['tools'], json: policy.tools.json });
    else {
      edits.push({ op: 'remove', path: ['tools'] });
      // Google rejects function calling settings without functions.
      edits.push({ op: 'remove', path: [aliases.path('toolConfig')] });
    }
  }
  const json = editContents(parsed, refused, dispatch);
  if (json !== undefined) edits.push({ op: 'set', path: ['contents'], json });
  return splice(object, combineEdits(edits, editsOf(adjustments(parsed, dispatch))));
}

/** Warnings for what the model would reject. */
export function adjustmentWarnings(parsed: ParsedRequest, dispatch: Dispatch): Diagnostic[] {
  return warningsOf(adjustments(parsed, dispatch));
}

/** With the client's names of the fields. */
function adjustments({ request, aliases }: ParsedRequest, { parameters, outputTokens }: Dispatch): Adjustment[] {
  if (parameters === undefined) return [];
  const limit = outputTokens === undefined ? {} : { maxOutputTokens: outputTokens };
  const body = { ...request, generationConfig: { ...request.generationConfig, ...limit } };
  return adjustmentsOf(body, parameters).map((adjustment) => ({
    ...adjustment,
    path: keysOf(aliases.path(nameOf(adjustment.path))),
  }));
}

/** The JSON text of the contents without what Google would refuse; undefined if there is nothing. Numbers keep their digits. */
function editContents(
  { object }: ParsedRequest,
  { foreignSignatures, repeatedResults: repeated }: RefusedContents,
  { parameters }: Dispatch,
): string | undefined {
  const hasForeign = foreignSignatures.length > 0;
  const member = repeated.length > 0 || hasForeign ? memberOf(object, 'contents') : undefined;
  if (member === undefined) return undefined;
  const text = object.bytes.toString('utf8', member.valueStart, member.valueEnd);
  const contents = parseLosslessObject(`{"of":${text}}`)?.['of'] ?? parseJson(text);
  const kept = withoutParts(Array.isArray(contents) ? contents : [contents], repeated);
  return JSON.stringify(hasForeign ? withoutForeignSignatures(kept, parameters) : kept);
}

/** Warnings for what is dropped only for an upstream of the same protocol. */
export function passthroughWarnings(
  { aliases }: ParsedRequest,
  { foreignSignatures: [signature], repeatedResults: [repeated] }: RefusedContents,
): Diagnostic[] {
  const [content, part] = repeated ?? [];
  const result = `contents[${content}].parts[${part}].functionResponse`;
  return [
    ...(signature === undefined
      ? []
      : [diagnostic(aliases.path(signature), 'left out, since it is from another provider')]),
    ...(repeated === undefined ? [] : [diagnostic(aliases.path(result), REPEATED_RESULT)]),
  ];
}

function keysOf(path: string): [string, string] {
  const [outer = '', inner = ''] = path.split('.');
  return [outer, inner];
}
