import { hasRule } from '../model/model-rules.ts';
import type { CountBody } from './schema.ts';

/** Fields that only a beta enables. https://platform.claude.com/docs/en/build-with-claude/context-editing, /fast-mode */
const FIELDS = [
  {
    beta: 'context-management-',
    path: 'context_management',
    isSet: (body: CountBody) => body.context_management != null,
  },
  {
    beta: 'task-budgets-',
    path: 'output_config.task_budget',
    isSet: (body: CountBody) => body.output_config?.task_budget != null,
  },
  {
    beta: 'fast-mode-',
    path: 'speed',
    isSet: (body: CountBody) => body.speed === 'fast',
  },
] as const;

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
  const found = FIELDS.find(({ beta, isSet }) => isSet(body) && !betas.some((name) => name.startsWith(beta)));
  return found === undefined ? undefined : `${found.path}: Extra inputs are not permitted`;
}
