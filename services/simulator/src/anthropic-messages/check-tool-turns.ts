import type { InputBlock, InputMessage } from './schema.ts';

/** Consecutive messages of one role are one turn. */
interface Merged {
  role: string;
  /** Index of the last message. */
  index: number;
  blocks: { block: InputBlock; path: string }[];
}

/** Every call has a result at the start of the next turn, and there are no other results. */
export function toolTurnsFault(messages: readonly InputMessage[]): string | undefined {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const turn of merge(messages)) {
    const responded = new Set<string>();
    let others = false;
    for (const { block, path } of turn.blocks) {
      if (block.type !== 'tool_result') {
        others = true;
        continue;
      }
      if (!open.has(block.tool_use_id) || others) {
        return (
          `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each ` +
          '`tool_result` block must have a corresponding `tool_use` block in the previous message.'
        );
      }
      if (responded.has(block.tool_use_id)) {
        return `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.tool_use_id}`;
      }
      responded.add(block.tool_use_id);
    }
    const missing = [...open].filter((id) => !responded.has(id));
    if (missing.length > 0) return unanswered(turn.index, missing);
    const unpaired = serverToolFault(turn.blocks);
    if (unpaired !== undefined) return unpaired;
    open = new Set();
    for (const { block, path } of turn.blocks) {
      if (block.type !== 'tool_use') continue;
      if (seen.has(block.id)) return `${path}: \`tool_use\` ids must be unique`;
      seen.add(block.id);
      open.add(block.id);
    }
  }
  return open.size > 0 ? unanswered(messages.length - 1, [...open]) : undefined;
}

/** Each use of the web by the provider is followed by its result, within the turn. A search for tools may end in the next one. */
function serverToolFault(blocks: Merged['blocks']): string | undefined {
  const uses = new Map<string, string>();
  for (const { block, path } of blocks) {
    if (block.type === 'server_tool_use' && block.name.startsWith('web_')) uses.set(block.id, block.name);
    if (block.type !== 'web_search_tool_result' && block.type !== 'web_fetch_tool_result') continue;
    const name = block.type === 'web_search_tool_result' ? 'web_search' : 'web_fetch';
    if (uses.get(block.tool_use_id) !== name) {
      return `${path}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${block.tool_use_id}. Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`;
    }
    uses.delete(block.tool_use_id);
  }
  const [id, name] = uses.entries().next().value ?? [];
  return id === undefined
    ? undefined
    : `${blocks[0]?.path ?? 'messages'}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`;
}

function unanswered(index: number, ids: readonly string[]): string {
  return (
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
    `${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
  );
}

function merge(messages: readonly InputMessage[]): Merged[] {
  const turns: Merged[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue;
    const blocks: InputBlock[] =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : [...message.content];
    const placed = blocks.map((block, at) => ({ block, path: `messages.${index}.content.${at}` }));
    const last = turns.at(-1);
    if (last?.role === message.role) {
      last.blocks.push(...placed);
      last.index = index;
    } else turns.push({ role: message.role, index, blocks: placed });
  }
  return turns;
}
