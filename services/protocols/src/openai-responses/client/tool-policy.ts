import { type JsonRecord, recordOr } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ResponsesRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/**
 * Tools that the provider runs itself, which cost extra and are not supported: left out with a warning if they are
 * only declared, as agents do on every turn; rejected if the request forces one.
 */
export function checkToolPolicy(
  { request }: ParsedRequest,
  { errors, warnings, droppedTools, droppedFields }: PolicyFindings,
): void {
  const tools = request.tools ?? [];
  const providerRun = tools.flatMap((tool, index) => (isClientRun(tool) ? [] : [index]));
  const [first] = providerRun;
  if (first === undefined && !isForced(request, tools.length)) return;
  const kept = tools.length - providerRun.length;
  if (isForced(request, kept)) {
    const path = first === undefined ? 'tool_choice' : `tools[${first}]`;
    errors.push(diagnostic(path, 'tools run by the provider are not supported; remove it'));
    return;
  }
  for (const index of providerRun) {
    droppedTools.add(index);
    const hint = tools[index]?.type === 'shell' ? ' (for a shell of your own set environment to {"type":"local"})' : '';
    const message = `left out, since tools run by the provider are not supported${hint}`;
    warnings.push(diagnostic(`tools[${index}]`, message));
  }
  if (kept === 0) for (const field of ['tools', 'tool_choice', 'parallel_tool_calls']) droppedFields.add(field);
}

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

function isForced(request: ResponsesRequest, kept: number): boolean {
  const choice = request.tool_choice;
  if (choice === undefined || choice === null || choice === 'none' || choice === 'auto') return false;
  if (choice === 'required') return kept === 0 && (request.tools?.length ?? 0) > 0;
  if (choice.type === 'allowed_tools') return (choice.tools ?? []).some(({ type }) => !NAMED_BY_TYPE.has(type));
  return !NAMED_BY_TYPE.has(choice.type);
}
