import type { PathParameters, Protocol } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import { runToEnd } from '../../lists/stages.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';
import { translateRequest } from '../request.ts';
import type { Fate } from './field-table.ts';
import { keysOf, mergeExample, without } from './merge-example.ts';

/** A client's protocol, with the shortest request that says something. */
export interface Client {
  readonly protocol: Protocol;
  readonly minimal: JsonRecord;
  readonly call: PathParameters;
}

type Outcome =
  | { readonly kind: 'said'; readonly text: string; readonly warnings: readonly Diagnostic[] }
  | { readonly kind: 'refused'; readonly note: Diagnostic };

/**
 * What becomes of a field towards an upstream, found by sending a request with and without it. Several fates where the
 * request cannot be without it, and it is not to be told apart; a sentence where the code does what no fate stands for.
 */
export function judgeField(client: Client, field: string, example: unknown, upstream: Protocol): Fate[] | string {
  const body = mergeExample(client.minimal, field, example);
  const outcome = send(client, body, upstream);
  if (outcome.kind === 'refused') {
    const isNamed = names(outcome.note, field) || isCompany(outcome.note, field, example);
    return isNamed ? ['refused'] : `refuses another field: ${outcome.note.message}`;
  }
  const rest = without(body, keysOf(field));
  const baseline = isRecord(rest) ? send(client, rest, upstream) : undefined;
  const others = baseline?.kind === 'said' ? baseline.warnings.map((warning) => warning.message) : [];
  const own = outcome.warnings.filter((note) => !others.includes(note.message));
  if (own.length > 0 && !own.some((note) => names(note, field))) {
    return `warns of another field: ${own.map((warning) => warning.message).join('; ')}`;
  }
  if (baseline?.kind !== 'said') return own.length > 0 ? ['changed', 'warned'] : ['kept', 'dropped'];
  const isSaid = outcome.text !== baseline.text;
  if (own.length > 0) return [isSaid ? 'changed' : 'warned'];
  return [isSaid ? 'kept' : 'dropped'];
}

function send(client: Client, body: JsonRecord, upstream: Protocol): Outcome {
  const result = runToEnd(client.protocol.parseRequest(Buffer.from(JSON.stringify(body)), client.call));
  if (!result.ok) return { kind: 'refused', note: result.error };
  const { request } = result;
  const [refusal] = request.policy.errors;
  if (refusal !== undefined) return { kind: 'refused', note: refusal };
  const dispatch = { upstreamModel: 'upstream-model', outputTokens: undefined };
  const path = upstream.upstream.path(dispatch.upstreamModel, request.isStream);
  if (upstream.name === client.protocol.name) {
    return { kind: 'said', text: path + request.editRequest(dispatch).toString(), warnings: request.policy.warnings };
  }
  const target = { ...dispatch, isStream: request.isStream, maxOutputTokens: 64_000 };
  const translated = translateRequest(request, upstream.upstream, target);
  if (!translated.ok) return { kind: 'refused', note: translated.refusal };
  const warnings = [...request.policy.warnings, ...translated.warnings];
  return { kind: 'said', text: path + JSON.stringify(translated.json), warnings };
}

/** Whether a note is about the field, or something within or around it. */
function names(note: Diagnostic, field: string): boolean {
  const path = note.path.replaceAll(/\[\d+\]/g, '[]');
  if (path === '') return false;
  return path === field || isWithin(path, field) || isWithin(field, path);
}

/** Whether a note is about another member of the example, without which the field means nothing. */
function isCompany(note: Diagnostic, field: string, example: unknown): boolean {
  const [own] = keysOf(field);
  const [named = ''] = note.path.split(/[.[]/);
  return isRecord(example) && own !== undefined && Object.hasOwn(example, own) && Object.hasOwn(example, named);
}

function isWithin(inner: string, outer: string): boolean {
  return inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}
