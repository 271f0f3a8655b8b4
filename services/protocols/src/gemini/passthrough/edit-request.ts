import type { Dispatch } from '../../interface/protocol.ts';
import { memberOf } from '../../json/object.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { GeminiPolicy } from '../client/policy-result.ts';
import { bareModel } from '../shared/model.ts';
import { findForeignSignatures, withoutForeignSignatures } from './foreign-signatures.ts';

/**
 * The request for an upstream of the same protocol: the client's bytes with the edits of the policies, the model's name,
 * and the output limit that the balance allows.
 */
export function editRequest(parsed: ParsedRequest, policy: GeminiPolicy, dispatch: Dispatch): Buffer {
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
  const contents = findForeignSignatures(request.contents).length > 0 ? memberOf(object, 'contents') : undefined;
  if (contents !== undefined) {
    edits.push({
      op: 'set',
      path: ['contents'],
      json: withoutForeignSignatures(object, contents, dispatch.upstreamModel),
    });
  }
  return splice(object, edits);
}

/** Warnings for what is dropped only for an upstream of the same protocol. */
export function passthroughWarnings({ request, aliases }: ParsedRequest): Diagnostic[] {
  const [signature] = findForeignSignatures(request.contents);
  if (signature === undefined) return [];
  return [diagnostic(aliases.path(signature), 'left out, since it is from another provider')];
}

function keysOf(path: string): [string, string] {
  const [outer = '', inner = ''] = path.split('.');
  return [outer, inner];
}
