import {
  type HostedToolKind,
  type HostedUses,
  type RequestedHostedTools,
  reasonToLeaveOut,
} from '../../interface/hosted-tools.ts';
import { type JsonRecord, recordOr } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ResponsesRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/**
 * Tools that the provider runs itself, which cost extra. Searches pass if they are allowed. All others are not supported: left out with a warning if they are only declared, as agents do on every turn; rejected if the request forces
 * one.
 */
export function checkToolPolicy(parsed: ParsedRequest, findings: PolicyFindings, hostedUses: HostedUses): void {
  const { request } = parsed;
  const { errors, warnings, droppedTools, droppedFields } = findings;
  findings.loadsAll = hostedUses.tool_search === undefined && isSearchedByProvider(parsed);
  const tools = request.tools ?? [];
  const providerRun = tools.flatMap((tool, index) => (isKept(tool, hostedUses) ? [] : [index]));
  const [first] = providerRun;
  if (first === undefined && !isForced(request, tools.length, hostedUses)) return;
  const kept = tools.length - providerRun.length;
  if (isForced(request, kept, hostedUses)) {
    const path = first === undefined ? 'tool_choice' : `tools[${first}]`;
    errors.push(diagnostic(path, `${reasonOf(first === undefined ? undefined : tools[first])}; remove it`));
    return;
  }
  for (const index of providerRun) {
    droppedTools.add(index);
    const hint = tools[index]?.type === 'shell' ? ' (for a shell of your own set environment to {"type":"local"})' : '';
    const message = `left out, since ${reasonOf(tools[index])}${hint}`;
    warnings.push(diagnostic(`tools[${index}]`, message));
  }
  if (kept === 0) for (const field of ['tools', 'tool_choice', 'parallel_tool_calls']) droppedFields.add(field);
}

/** Why a tool that the provider runs is not passed on. */
export function reasonOf(tool: JsonRecord | undefined): string {
  return reasonToLeaveOut(hostedKindOf(tool?.['type']));
}

/** Whether a tool is passed on: the client runs it, or it is a search that is allowed. */
export function isKept(tool: JsonRecord, hostedUses: HostedUses): boolean {
  const kind = hostedKindOf(tool['type']);
  return isClientRun(tool) || (kind !== undefined && hostedUses[kind] !== undefined);
}

/** The kind of a search by its type, such as `web_search` or `web_search_preview_2025_03_11`; undefined for all others. */
function hostedKindOf(type: unknown): HostedToolKind | undefined {
  if (typeof type !== 'string') return undefined;
  if (/^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/.test(type)) return 'search';
  return type === 'tool_search' ? 'tool_search' : undefined;
}

/** Whether deferred tools are loaded by the provider's search alone. */
function isSearchedByProvider(parsed: ParsedRequest): boolean {
  const searches = declaredTools(parsed).filter(({ type }) => type === 'tool_search');
  return searches.length > 0 && !searches.some(isClientRun);
}

/** The tools of a request and of its items. */
function declaredTools({ request, items }: ParsedRequest): JsonRecord[] {
  const added = items.flatMap(({ item }) => (Array.isArray(item['tools']) ? item['tools'] : []));
  return [...(request.tools ?? []), ...added.map(recordOr)];
}

/** The hosted tools of a request; undefined if it has none. */
export function requestedHostedTools(
  parsed: ParsedRequest,
  policy: RequestedHostedTools['policy'],
): RequestedHostedTools | undefined {
  const limits = new Map<HostedToolKind, number | undefined>();
  for (const tool of declaredTools(parsed)) {
    const kind = isClientRun(tool) ? undefined : hostedKindOf(tool['type']);
    if (kind !== undefined)
      limits.set(kind, kind === 'search' ? (parsed.request.max_tool_calls ?? undefined) : undefined);
  }
  if (limits.size === 0) return undefined;
  return { limits, canLimit: true, limitField: LIMIT_FIELD, policy };
}

/** It limits the calls of all tools that the provider runs. */
export const LIMIT_FIELD = 'max_tool_calls';

/** Whether the client runs the tool. A tool of an unknown type counts as the provider's. */
export function isClientRun(tool: JsonRecord): boolean {
  switch (tool['type']) {
    case 'function':
    case 'custom':
    case 'computer':
    case 'computer_use_preview':
    case 'local_shell':
    case 'apply_patch':
      return true;
    case 'shell':
      return recordOr(tool['environment'])['type'] === 'local';
    case 'tool_search':
      return tool['execution'] === 'client';
    case 'namespace': {
      const { tools } = tool;
      return Array.isArray(tools) && tools.every((inner) => isDefinedByClient(recordOr(inner)));
    }
    default:
      return false;
  }
}

function isDefinedByClient(tool: JsonRecord): boolean {
  return tool['type'] === 'function' || tool['type'] === 'custom';
}

/** Client tools that a choice can name by type. */
const NAMED_BY_TYPE: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'computer',
  'computer_use',
  'computer_use_preview',
  'local_shell',
  'shell',
  'apply_patch',
]);

function isForced(request: ResponsesRequest, kept: number, hostedUses: HostedUses): boolean {
  const choice = request.tool_choice;
  if (choice === undefined || choice === null || choice === 'none' || choice === 'auto') return false;
  if (choice === 'required') return kept === 0 && (request.tools?.length ?? 0) > 0;
  const isAllowed = (type: string) => NAMED_BY_TYPE.has(type) || isKept({ type }, hostedUses);
  if (choice.type === 'allowed_tools') return (choice.tools ?? []).some(({ type }) => !isAllowed(type));
  return !isAllowed(choice.type);
}
