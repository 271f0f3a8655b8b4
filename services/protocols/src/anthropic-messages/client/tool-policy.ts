import {
  type HostedToolKind,
  type HostedUses,
  type RequestedHostedTools,
  reasonToLeaveOut,
} from '../../interface/hosted-tools.ts';
import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { isSet, recordOr, stringOr } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { InputTool, MessagesRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';
import { hostedKindOf, isRunByClient } from './tool-kinds.ts';

const UNSUPPORTED = reasonToLeaveOut(undefined);

/**
 * Tools that the provider runs itself, which bill the prompt again with each of their turns. Some pass as often as is
 * allowed. All others are not supported: left out with a warning if they are only declared, as agents do on every turn;
 * rejected if the request forces one.
 */
export function checkToolPolicy(parsed: ParsedRequest, findings: PolicyFindings, hostedUses: HostedUses): void {
  const { request } = parsed;
  const { errors, warnings, edits } = findings;
  checkToolChanges(request, findings);
  if (isSet(request.mcp_servers)) {
    if (request.mcp_servers.length > 0) warnings.push(diagnostic('mcp_servers', `left out, since ${UNSUPPORTED}`));
    edits.push({ op: 'remove', path: ['mcp_servers'] });
  }
  const tools = request.tools ?? [];
  const isKept = (tool: InputTool) => isRunByClient(tool) || usesOf(tool, hostedUses) !== undefined;
  const providerRun = tools.flatMap((tool, index) => (isKept(tool) ? [] : [index]));
  const [first] = providerRun;
  if (first === undefined) {
    if (tools.some((tool) => limitOf(tool, hostedUses) !== undefined)) {
      edits.push({ op: 'set', path: ['tools'], json: keptTools(parsed, new Set(), hostedUses) });
    }
    return;
  }
  const forced = forcedIndex(request, tools, first, isKept);
  if (forced !== undefined) {
    errors.push(diagnostic(`tools[${forced}]`, `${reasonOf(tools[forced])}; remove it`));
    return;
  }
  for (const index of providerRun) {
    warnings.push(diagnostic(`tools[${index}]`, `left out, since ${reasonOf(tools[index])}`));
  }
  if (providerRun.length === tools.length) {
    edits.push({ op: 'remove', path: ['tools'] }, { op: 'remove', path: ['tool_choice'] });
  } else {
    edits.push({ op: 'set', path: ['tools'], json: keptTools(parsed, new Set(providerRun), hostedUses) });
  }
}

function reasonOf(tool: InputTool | undefined): string {
  return reasonToLeaveOut(tool === undefined ? undefined : hostedKindOf(tool));
}

/** The provider-run tool that the response must call, if it must call one. */
function forcedIndex(
  request: MessagesRequest,
  tools: readonly InputTool[],
  first: number,
  isKept: (tool: InputTool) => boolean,
): number | undefined {
  const choice = request.tool_choice;
  if (choice?.type === 'any') return tools.some(isKept) ? undefined : first;
  if (choice?.type !== 'tool') return undefined;
  const named = tools.findIndex((tool) => !isKept(tool) && tool.name === choice.name);
  return named === -1 ? undefined : named;
}

/**
 * The other tools, without settings that have lost their meaning: loading a tool only when the provider's search finds
 * it, or calling it only from code that the provider runs.
 */
function keptTools({ object, request }: ParsedRequest, dropped: ReadonlySet<number>, hostedUses: HostedUses): string {
  const member = memberOf(object, 'tools');
  if (member === undefined) return '[]';
  const tools = request.tools ?? [];
  const types = tools.filter((_, index) => dropped.has(index)).map((tool) => tool.type ?? '');
  const shared: Edit[] = [];
  if (types.some((type) => hostedKindOf({ type }) === 'tool_search')) {
    shared.push({ op: 'remove', path: ['defer_loading'] });
  }
  if (types.some((type) => type.startsWith('code_execution_'))) {
    shared.push({ op: 'remove', path: ['allowed_callers'] });
  }
  const texts: string[] = [];
  for (const [index, span] of elementsOf(object, member).entries()) {
    if (dropped.has(index)) continue;
    const limit = limitOf(tools[index] ?? {}, hostedUses);
    const edits: Edit[] =
      limit === undefined ? shared : [...shared, { op: 'set', path: ['max_uses'], json: String(limit) }];
    const bytes = object.bytes.subarray(span.start, span.end);
    const scanned = scanObject(bytes, { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] });
    texts.push((scanned.ok ? splice(scanned.object, edits) : bytes).toString('utf8'));
  }
  return `[${texts.join(',')}]`;
}

/** The uses that are allowed of a web tool; undefined for all other tools. */
function usesOf(tool: InputTool, hostedUses: HostedUses): number | undefined {
  const kind = hostedKindOf(tool);
  return kind === undefined ? undefined : hostedUses[kind];
}

/** The uses to send where the client has set no limit, or a higher one. Tool search has no such field. */
function limitOf(tool: InputTool, hostedUses: HostedUses): number | undefined {
  const uses = hostedKindOf(tool) === 'tool_search' ? undefined : usesOf(tool, hostedUses);
  const given = tool.max_uses;
  return uses === undefined || (typeof given === 'number' && given <= uses) ? undefined : uses;
}

/** The hosted tools of a request; undefined if it has none. */
export function requestedHostedTools(
  { request }: ParsedRequest,
  policy: RequestedHostedTools['policy'],
): RequestedHostedTools | undefined {
  const limits = new Map<HostedToolKind, number | undefined>();
  for (const tool of request.tools ?? []) {
    const kind = hostedKindOf(tool);
    const uses = tool.max_uses;
    if (kind !== undefined) limits.set(kind, typeof uses === 'number' ? uses : undefined);
  }
  return limits.size === 0 ? undefined : { limits, canLimit: true, limitField: 'tools[].max_uses', policy };
}

/** Tools can also be declared within a conversation. Removing them there would leave gaps. */
function checkToolChanges(request: MessagesRequest, { errors }: PolicyFindings): void {
  for (let i = 0; i < request.messages.length; i++) {
    const content = request.messages[i]?.content;
    if (!Array.isArray(content)) continue;
    for (let j = 0; j < content.length; j++) {
      const block = content[j];
      if (block?.type !== 'tool_addition') continue;
      const tool = recordOr(block['tool']);
      const definition = recordOr(tool['definition']);
      const isProviderRun =
        stringOr(tool['type']).startsWith('mcp_') ||
        (tool['type'] === 'tool_definition' && !isRunByClient({ type: definitionType(definition['type']) }));
      if (isProviderRun) errors.push(diagnostic(`messages[${i}].content[${j}].tool`, `${UNSUPPORTED}; remove it`));
    }
  }
}

function definitionType(type: unknown): string | null {
  return typeof type === 'string' ? type : null;
}
