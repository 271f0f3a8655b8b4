import type { PathParameters, Protocol } from '../../src/interface/protocol.ts';
import { isRecord, type JsonRecord } from '../../src/json/record.ts';
import { runToEnd } from '../../src/lists/stages.ts';
import type { Diagnostic } from '../../src/request/diagnostics.ts';
import { translateRequest } from '../../src/translate/request.ts';
import type { FieldOutcome } from './field-table.ts';
import { keysOf, mergeExample, without } from './merge-example.ts';

/** A client's protocol, with a minimal request. */
export interface Client {
  readonly protocol: Protocol;
  readonly minimal: JsonRecord;
  readonly call: PathParameters;
}

type Sent =
  | { readonly kind: 'sent'; readonly text: string; readonly warnings: readonly Diagnostic[] }
  | { readonly kind: 'refused'; readonly error: Diagnostic };

/**
 * The outcome of a field for an upstream, from sending a request with and without it. Several outcomes if the request
 * requires the field, so that they cannot be distinguished; a sentence if the diagnostics name another field.
 */
export function observeOutcome(
  client: Client,
  field: string,
  example: unknown,
  upstream: Protocol,
): FieldOutcome[] | string {
  const body = mergeExample(client.minimal, field, example);
  const outcome = send(client, body, upstream);
  if (outcome.kind === 'refused') {
    const isNamed = names(outcome.error, field) || isCompanion(outcome.error, field, example);
    return isNamed ? ['refused'] : `refuses another field: ${outcome.error.message}`;
  }
  const rest = without(body, keysOf(field));
  const baseline = isRecord(rest) ? send(client, rest, upstream) : undefined;
  const others = baseline?.kind === 'sent' ? baseline.warnings.map((warning) => warning.message) : [];
  const own = outcome.warnings.filter((diagnostic) => !others.includes(diagnostic.message));
  if (own.length > 0 && !own.some((diagnostic) => names(diagnostic, field))) {
    return `warns of another field: ${own.map((warning) => warning.message).join('; ')}`;
  }
  if (baseline?.kind !== 'sent') return own.length > 0 ? ['changed', 'warned'] : ['kept', 'dropped'];
  const isSent = outcome.text !== baseline.text;
  if (own.length > 0) return [isSent ? 'changed' : 'warned'];
  return [isSent ? 'kept' : 'dropped'];
}

function send(client: Client, body: JsonRecord, upstream: Protocol): Sent {
  const result = runToEnd(client.protocol.parseRequest(Buffer.from(JSON.stringify(body)), client.call));
  if (!result.ok) return { kind: 'refused', error: result.error };
  const { request } = result;
  const [refusal] = request.policy.errors;
  if (refusal !== undefined) return { kind: 'refused', error: refusal };
  const dispatch = { upstreamModel: 'upstream-model', outputTokens: undefined };
  const path = upstream.upstream.path(dispatch.upstreamModel, request.isStream);
  if (upstream.name === client.protocol.name) {
    return { kind: 'sent', text: path + request.editRequest(dispatch).toString(), warnings: request.policy.warnings };
  }
  const target = { ...dispatch, isStream: request.isStream, maxOutputTokens: 64_000 };
  const translated = translateRequest(request, upstream.upstream, target);
  if (!translated.ok) return { kind: 'refused', error: translated.error };
  const warnings = [...request.policy.warnings, ...translated.warnings];
  return { kind: 'sent', text: path + JSON.stringify(translated.json), warnings };
}

/** Whether a diagnostic is about the field, or a field within or around it. */
function names(diagnostic: Diagnostic, field: string): boolean {
  const path = diagnostic.path.replaceAll(/\[\d+\]/g, '[]');
  if (path === '') return false;
  return path === field || isWithin(path, field) || isWithin(field, path);
}

/** Whether a diagnostic is about another member of the example that the field requires. */
function isCompanion(diagnostic: Diagnostic, field: string, example: unknown): boolean {
  const [own] = keysOf(field);
  const [named = ''] = diagnostic.path.split(/[.[]/);
  return isRecord(example) && own !== undefined && Object.hasOwn(example, own) && Object.hasOwn(example, named);
}

function isWithin(inner: string, outer: string): boolean {
  return inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}
