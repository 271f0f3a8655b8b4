import type { HostedToolKind } from '../../interface/hosted-tools.ts';
import type { InputTool } from '../shared/schema.ts';

/**
 * Types of tools, up to their date, that Anthropic defines and the client runs: the model calls them with `tool_use` like
 * the client's own.
 */
const CLIENT_RUN = ['bash_', 'text_editor_', 'computer_', 'memory_', 'browser_toolset_'];

/** Whether the client describes the tool and its input. */
export function isDescribedByClient(tool: { readonly type?: string | null | undefined }): boolean {
  return tool.type === undefined || tool.type === null || tool.type === 'custom';
}

/**
 * Whether the client runs the tool. All others run at the provider, in turns that bill the prompt again, and
 * some have a price of their own.
 */
export function isRunByClient(tool: { readonly type?: string | null | undefined }): boolean {
  return isDescribedByClient(tool) || CLIENT_RUN.some((prefix) => tool.type?.startsWith(prefix));
}

/** The kind of a tool that the provider runs and that can be passed on; undefined for all others. */
export function hostedKindOf(tool: { readonly type?: string | null | undefined }): HostedToolKind | undefined {
  const type = tool.type ?? '';
  if (/^web_search_\d{8}$/.test(type)) return 'search';
  if (/^web_fetch_\d{8}$/.test(type)) return 'fetch';
  return /^tool_search_tool_(regex|bm25)(_\d{8})?$/.test(type) ? 'tool_search' : undefined;
}

/** The name by which a tool choice names it. */
export function nameOf(tool: InputTool): string {
  return tool.name ?? '';
}
