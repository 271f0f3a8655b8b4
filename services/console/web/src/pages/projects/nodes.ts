import type { Item } from '../../api/client.ts';
import {
  type Defaults,
  type DefaultsChanges,
  type DefaultsDraft,
  defaultsDraftOf,
} from '../shared/limits/defaults-draft.ts';
import { type Limits, type LimitsDraft, limitsDraftOf, NO_LIMITS } from '../shared/limits/draft.ts';

export type Project = Item<'GET /accounts/{account_id}/projects'>;
export type ServiceAccount = Item<'GET /accounts/{account_id}/projects/{project_id}/service-accounts'>;
export type ProjectMember = Item<'GET /accounts/{account_id}/projects/{project_id}/members'>;

/** What a form of a project, a service account or a member in a project sends. */
export interface NodeValues extends Limits {
  name: string;
}

/** What an owner sets for their keys and sessions, and whether their own caps count instead of the project's defaults. */
export interface OwnerSettings extends Pick<Defaults, 'each_key' | 'each_session'> {
  exceeds_defaults: boolean;
}

/** What a form of an owner sends of them. */
export type OwnerChanges = Pick<DefaultsChanges, 'each_key' | 'each_session'> & { exceeds_defaults?: boolean };

/** What such a form holds: texts as they were typed. */
export interface NodeDraft extends LimitsDraft {
  name: string;
  defaults: DefaultsDraft;
  exceedsDefaults: boolean;
}

/** @param values null: of a new one */
export function nodeDraftOf(values: (NodeValues & Partial<OwnerSettings>) | null): NodeDraft {
  const { each_key, each_session, exceeds_defaults = false } = values ?? {};
  const defaults = defaultsDraftOf({
    ...(each_key === undefined ? {} : { each_key }),
    ...(each_session === undefined ? {} : { each_session }),
  });
  const rest = { defaults, exceedsDefaults: exceeds_defaults };
  return values === null
    ? { ...NO_LIMITS, name: '', ...rest }
    : { ...limitsDraftOf(values), name: values.name, ...rest };
}

/** What changes of it show before the response: its name, and whether it is on. */
interface ShownAtOnce {
  name?: string | undefined;
  enabled?: boolean | undefined;
}

/** One of them after a change that has been sent. */
export function changedNode<N extends Project | ServiceAccount | ProjectMember>(node: N, sent: ShownAtOnce): N {
  const { name, enabled } = sent;
  const renamed = name === undefined || !('name' in node) ? node : { ...node, name };
  if (enabled === undefined || enabled === node.enabled) return renamed;
  return { ...renamed, enabled, status: enabled ? 'active' : 'off' };
}

/** What shows keys, and whether they are accepted. */
export const KEY_READS = [
  'GET /accounts/{account_id}/keys',
  'GET /accounts/{account_id}/keys/{key_id}',
  'GET /accounts/{account_id}/limits',
] as const;

/** What a change of a project changes. */
export const PROJECT_READS = [
  'GET /accounts/{account_id}/projects',
  'GET /accounts/{account_id}/projects/{project_id}/service-accounts',
  'GET /accounts/{account_id}/projects/{project_id}/members',
  ...KEY_READS,
] as const;

/** What a change of a service account changes. */
export const SERVICE_ACCOUNT_READS = [
  'GET /accounts/{account_id}/projects/{project_id}/service-accounts',
  ...KEY_READS,
] as const;

/** What a change of a member in a project changes. */
export const PROJECT_MEMBER_READS = ['GET /accounts/{account_id}/projects/{project_id}/members', ...KEY_READS] as const;
