import { type HostedUses, reasonToLeaveOut } from '../../interface/hosted-tools.ts';
import { isSet, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';
import { checkCacheBreakpoint } from './price-policy.ts';
import { checkUnknown } from './reference-policy.ts';
import { isKept, reasonOf } from './tool-policy.ts';

/**
 * Items of tools that the provider ran. Only searches are passed on, if they are allowed: the others come from elsewhere.
 * Their findings are in the text after them, and some only name objects stored at the provider.
 */
const PROVIDER_RUN: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_call',
  'mcp_approval_request',
  'mcp_approval_response',
  'program',
  'program_output',
]);

/** Checks the items of `input`. */
export function checkItemPolicy({ items }: ParsedRequest, findings: PolicyFindings, hostedUses: HostedUses): void {
  for (const [index, { kind, item, ...rest }] of items.entries()) {
    const path = `input[${index}]`;
    switch (kind) {
      case 'message':
        checkParts(item['content'], `${path}.content`, findings);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        checkParts(item['output'], `${path}.output`, findings);
        break;
      case 'function_call':
      case 'custom_tool_call':
      case 'reasoning':
        break;
      case 'other':
        checkOther(stringOr('type' in rest ? rest.type : ''), item, index, { findings, hostedUses });
        break;
      default:
        kind satisfies never;
    }
  }
}

function checkParts(parts: unknown, path: string, findings: PolicyFindings): void {
  if (!Array.isArray(parts)) return;
  for (const [index, element] of parts.entries()) {
    const part: JsonRecord = recordOr(element);
    const place = `${path}[${index}]`;
    if (isSet(part['file_id'])) {
      const instead = part['type'] === 'input_image' ? 'image_url' : 'file_data';
      const message = `ids of uploaded files are not accepted; send the content as ${instead}`;
      findings.errors.push(diagnostic(`${place}.file_id`, message));
    }
    checkCacheBreakpoint(part, place, findings);
  }
}

interface ItemTerms {
  readonly findings: PolicyFindings;
  readonly hostedUses: HostedUses;
}

function checkOther(type: string, item: JsonRecord, index: number, { findings, hostedUses }: ItemTerms): void {
  if (type === 'web_search_call' && hostedUses.search !== undefined) return;
  const path = `input[${index}]`;
  const isSearch = type === 'tool_search_call' || type === 'tool_search_output';
  const isHostedSearch = isSearch && item['execution'] !== 'client';
  if (isHostedSearch && hostedUses.tool_search !== undefined) return;
  if (PROVIDER_RUN.has(type) || isHostedSearch) {
    findings.droppedItems.add(index);
    const reason = reasonToLeaveOut(isHostedSearch ? 'tool_search' : undefined);
    findings.warnings.push(diagnostic(path, `left out, since ${reason}`));
    return;
  }
  if (type === 'compaction_trigger') {
    findings.errors.push(diagnostic(path, 'conversation summaries of the provider are not supported'));
    return;
  }
  // Schemas and inputs of tools that the client runs can have members of any name.
  const { tools, arguments: _, ...others } = item;
  if (Array.isArray(tools)) checkTools(tools, index, { findings, hostedUses });
  checkUnknown(others, path, findings.errors);
}

/** Tools can also be declared within a conversation. */
function checkTools(tools: readonly unknown[], index: number, { findings, hostedUses }: ItemTerms): void {
  const { warnings, droppedItemTools } = findings;
  const dropped = tools.flatMap((tool, i) => (isKept(recordOr(tool), hostedUses) ? [] : [i]));
  if (dropped.length === 0) return;
  droppedItemTools.set(index, new Set(dropped));
  for (const i of dropped) {
    const message = `left out, since ${reasonOf(recordOr(tools[i]))}`;
    warnings.push(diagnostic(`input[${index}].tools[${i}]`, message));
  }
}
