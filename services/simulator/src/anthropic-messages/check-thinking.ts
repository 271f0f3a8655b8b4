import { hasRule } from '../model/model-rules.ts';
import { unwrapReasoning } from '../model/wrapped-reasoning.ts';
import type { CountBody, InputBlock, InputMessage, MessagesBody } from './schema.ts';

/** Rejects settings that thinking excludes, and thinking blocks that the simulator did not create. */
export function thinkingFault(body: CountBody | MessagesBody): string | undefined {
  if (hasRule(body.model, 'unsigned-thinking')) return missingThoughts(body);
  for (const [index, message] of body.messages.entries()) {
    const fault = blocksFault(message, `messages.${index}`);
    if (fault !== undefined) return fault;
  }
  const { thinking } = body;
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return undefined;
  if (thinking.type === 'enabled' && (body.tool_choice?.type === 'any' || body.tool_choice?.type === 'tool')) {
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  }
  if (!('max_tokens' in body)) return undefined;
  const { max_tokens, temperature, top_k, top_p } = body as MessagesBody;
  if (thinking.type === 'enabled' && thinking.budget_tokens >= max_tokens) {
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
  if (temperature !== undefined && temperature !== 1) {
    return '`temperature` may only be set to 1 when thinking is enabled.';
  }
  if (top_k !== undefined) return '`top_k` must be unset when thinking is enabled.';
  if (top_p !== undefined && top_p < 0.95) {
    return '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.';
  }
  return thinking.type === 'enabled' ? toolLoopFault(body.messages) : undefined;
}

/**
 * https://github.com/decolua/9router/issues/2397 and https://api-docs.deepseek.com/guides/thinking_mode: DeepSeek thinks unless
 * told not to, and wants the reasoning back of each turn that calls tools.
 */
function missingThoughts({ messages, thinking }: CountBody | MessagesBody): string | undefined {
  if (thinking?.type === 'disabled') return undefined;
  const isMissing = messages.some(({ role, content }) => {
    const blocks: readonly InputBlock[] = typeof content === 'string' ? [] : content;
    const thoughts = blocks.filter((block) => block.type === 'thinking' && block.thinking !== '');
    return role === 'assistant' && thoughts.length === 0 && blocks.some((block) => block.type === 'tool_use');
  });
  return isMissing ? 'The `content[].thinking` in the thinking mode must be passed back to the API.' : undefined;
}

function blocksFault(message: InputMessage, path: string): string | undefined {
  if (typeof message.content === 'string') return undefined;
  const blocks: readonly InputBlock[] = message.content;
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'thinking') {
      const signed = unwrapReasoning('anthropic', block.signature);
      if (signed === undefined || (block.thinking !== '' && signed.text !== block.thinking)) {
        return `${path}.content.${index}: Invalid \`signature\` in \`thinking\` block`;
      }
    } else if (block.type === 'redacted_thinking' && unwrapReasoning('anthropic-redacted', block.data) === undefined) {
      return `${path}.content.${index}: Invalid \`data\` in \`redacted_thinking\` block`;
    }
  }
  const last = blocks.at(-1)?.type;
  if (last === 'thinking' || last === 'redacted_thinking') {
    return `${path}: The final block in an assistant message cannot be \`thinking\`.`;
  }
  return undefined;
}

/** While tools are called or the model continues its turn, the turn starts with the thinking that led to it. */
function toolLoopFault(messages: readonly InputMessage[]): string | undefined {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const content = messages[at]?.content;
  if (content === undefined) return undefined;
  const blocks: readonly InputBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (at < messages.length - 1 && !blocks.some((block) => block.type === 'tool_use')) return undefined;
  const first = blocks[0]?.type;
  if (first === 'thinking' || first === 'redacted_thinking') return undefined;
  return (
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When ` +
    '`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set ' +
    'of `tool_use` and `tool_result` blocks).'
  );
}
