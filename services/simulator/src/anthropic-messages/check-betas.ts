import { hasRule } from '../model/model-rules.ts';
import type { CountBody } from './schema.ts';

/**
 * Fields that only betas enable, and where a body has them.
 * https://platform.claude.com/docs/en/build-with-claude/context-editing, /fast-mode
 */
const FIELDS: readonly { betas: readonly string[]; pathIn: (body: CountBody) => string | undefined }[] = [
  {
    betas: ['context-management-'],
    pathIn: (body) => (body.context_management == null ? undefined : 'context_management'),
  },
  {
    betas: ['task-budgets-'],
    pathIn: (body) => (body.output_config?.task_budget == null ? undefined : 'output_config.task_budget'),
  },
  {
    betas: ['fast-mode-'],
    pathIn: (body) => (body.speed === 'fast' ? 'speed' : undefined),
  },
  {
    betas: ['mid-conversation-output-config-', 'per-turn-control-'],
    pathIn: ({ messages }) => {
      const index = messages.findIndex((message) => message.role === 'system' && message.output_config != null);
      return index === -1 ? undefined : `messages.${index}.output_config`;
    },
  },
];

/** Rejects fields without the beta that enables them, and betas of a provider without any. */
export function betasFault(header: string | string[] | undefined, body: CountBody): string | undefined {
  const betas = String(header ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => beta !== '');
  const [first] = betas;
  if (first !== undefined && hasRule(body.model, 'no-betas')) {
    return `Unexpected value(s) \`${first}\` for the \`anthropic-beta\` header. Please consult our documentation at docs.claude.com or try again without the header.`;
  }
  const isEnabled = (by: readonly string[]) => by.some((beta) => betas.some((name) => name.startsWith(beta)));
  const paths = FIELDS.flatMap((field) => (isEnabled(field.betas) ? [] : (field.pathIn(body) ?? [])));
  return paths[0] === undefined ? undefined : `${paths[0]}: Extra inputs are not permitted`;
}
