import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ChatRequest } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

type Tool = NonNullable<ChatRequest['tools']>[number];

/**
 * Tools that the provider runs itself, which cost extra and are not supported: left out with a warning if they are
 * only declared, as agents do on every turn; rejected if the request forces one.
 */
export function checkToolPolicy(parsed: ParsedRequest, { errors, warnings, edits }: PolicyFindings): void {
  const { request, object } = parsed;
  const tools = request.tools ?? [];
  const providerRun = tools.flatMap((tool, index) => (isClientRun(tool) ? [] : [index]));
  const [first] = providerRun;
  if (first === undefined) return;
  const kept = tools.length - providerRun.length;
  if (isForced(request, kept)) {
    errors.push(diagnostic(`tools[${first}]`, 'tools run by the provider are not supported; remove it'));
    return;
  }
  for (const index of providerRun) {
    warnings.push(diagnostic(`tools[${index}]`, 'left out, since tools run by the provider are not supported'));
  }
  if (kept === 0) {
    edits.push(
      { op: 'remove', path: ['tools'] },
      { op: 'remove', path: ['tool_choice'] },
      { op: 'remove', path: ['parallel_tool_calls'] },
    );
    return;
  }
  const member = memberOf(object, 'tools');
  if (member === undefined) return;
  const dropped = new Set(providerRun);
  const texts = elementsOf(object, member)
    .filter((_, index) => !dropped.has(index))
    .map((span) => object.bytes.toString('utf8', span.start, span.end));
  edits.push({ op: 'set', path: ['tools'], json: `[${texts.join(',')}]` });
}

function isClientRun(tool: Tool): boolean {
  return tool.type === 'function' || tool.type === 'custom';
}

function isForced(request: ChatRequest, kept: number): boolean {
  const choice = request.tool_choice;
  if (choice === undefined || choice === null || choice === 'none' || choice === 'auto') return false;
  if (choice === 'required') return kept === 0;
  if (choice.type === 'function' || choice.type === 'custom') return false;
  if (choice.type !== 'allowed_tools') return true;
  return choice.allowed_tools?.tools.some((tool) => tool['type'] !== 'function' && tool['type'] !== 'custom') ?? true;
}
