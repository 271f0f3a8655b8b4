import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { GeminiTool } from '../shared/schema.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';
import { PROVIDER_RUN_TOOLS } from './shape.ts';

/**
 * Tools that the provider runs itself, which cost extra and are not supported: left out with a warning if they are
 * only declared, as agents do on every turn; rejected if the request requires a call and declares nothing else.
 */
export function checkToolPolicy(parsed: ParsedRequest, findings: PolicyFindings): void {
  const { request, aliases } = parsed;
  const { errors, warnings } = findings;
  const tools = request.tools ?? [];
  const found = tools.flatMap((tool, i) => providerRunOf(tool).map((name) => `tools[${i}].${name}`));
  const [first] = found;
  if (first === undefined) return;
  const hasFunctions = tools.some((tool) => (tool.functionDeclarations?.length ?? 0) > 0);
  if (!hasFunctions && request.toolConfig?.functionCallingConfig?.mode?.toUpperCase() === 'ANY') {
    errors.push(diagnostic(aliases.path(first), 'tools run by the provider are not supported; remove it'));
    return;
  }
  for (const path of found) {
    warnings.push(diagnostic(aliases.path(path), 'left out, since tools run by the provider are not supported'));
  }
  findings.tools = { json: hasFunctions ? functionsOf(parsed, tools) : undefined };
}

/** The fields of a tool other than the client's functions. An unknown field counts as a provider-run tool. */
function providerRunOf(tool: GeminiTool): string[] {
  return Object.keys(tool).filter((key) => {
    if (key === 'functionDeclarations' || tool[key] === undefined || tool[key] === null) return false;
    return PROVIDER_RUN_TOOLS.includes(key) || typeof tool[key] === 'object';
  });
}

const LIMITS = { maxDepth: 256, uniqueKeys: false, within: [] };

/** The JSON text of the tools with only their functions, whose bytes stay. */
function functionsOf({ object }: ParsedRequest, tools: readonly GeminiTool[]): string {
  const member = memberOf(object, 'tools');
  if (member === undefined) return '[]';
  const spans =
    member.kind === 'array' ? elementsOf(object, member) : [{ start: member.valueStart, end: member.valueEnd }];
  const texts: string[] = [];
  for (const [i, span] of spans.entries()) {
    const tool = tools[i];
    if (tool === undefined || (tool.functionDeclarations?.length ?? 0) === 0) continue;
    const bytes = object.bytes.subarray(span.start, span.end);
    const scanned = scanObject(bytes, LIMITS);
    if (!scanned.ok) continue;
    const functions = scanned.object.members
      .filter(({ key }) => key === 'functionDeclarations' || key === 'function_declarations')
      .map(({ keyStart, valueEnd }) => bytes.toString('utf8', keyStart, valueEnd));
    texts.push(`{${functions.join(',')}}`);
  }
  return `[${texts.join(',')}]`;
}
