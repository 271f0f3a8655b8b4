import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import { isRefusalReason } from '@tollgate/common/refusal-reasons';
import type { AskedLimit } from '../limit-requests/ask-dialog.tsx';
import type { Request } from './timeline.ts';

/** The cap that refused a request. */
export type RefusingLimit = NonNullable<NonNullable<Request['refusal']>['limit']>;

/** Where to go to make the next request succeed. */
export interface RefusalAction {
  label: string;
  target: 'top_up' | 'key' | 'project' | 'new_key' | 'models';
  /** Part of the form of the key or project. */
  section: 'caps' | 'limits' | 'models' | 'expiry' | null;
}

/** What a person may do about it. */
export interface Abilities {
  /** See keys at all. */
  keys: boolean;
  /** Change caps of keys and projects. */
  caps: boolean;
  /** See how the account is topped up. */
  money: boolean;
}

/**
 * The link beside the sentence; null: there is nothing to do in the console, or not for this person.
 *
 * @param limit null: no cap refused the request, or it is not known which
 */
export function refusalAction(
  reason: string | null,
  keyName: string,
  limit: RefusingLimit | null,
  abilities: Abilities,
): RefusalAction | null {
  if (reason === null || !isRefusalReason(reason)) return null;
  const action = limit === null ? actionOf(reason, keyName) : raise(limit, keyName);
  if (action === null) return null;
  if ((action.target === 'key' || action.target === 'new_key') && !abilities.keys) return null;
  if (action.target === 'top_up' && !abilities.money) return null;
  if (action.section === 'caps' && !abilities.caps) return null;
  return action;
}

/** Where a cap is raised. A session has its cap from its client, or from its key. */
function raise({ scope, name, project_id: projectId }: RefusingLimit, keyName: string): RefusalAction {
  if (scope === 'session') return { label: `See the key ${keyName}`, target: 'key', section: null };
  const holder = name ?? `its ${scope.replaceAll('_', ' ')}`;
  return { label: `Raise the cap of ${holder}`, target: projectId === null ? 'key' : 'project', section: 'caps' };
}

/**
 * The limit that this person may ask to raise; null: none. Who may raise caps does so, but nobody raises the limit of a session
 * elsewhere.
 */
export function askableLimit(
  { key_id }: Pick<Request, 'key_id'>,
  limit: RefusingLimit | null,
  mayRaise: boolean,
): AskedLimit | null {
  if (limit === null || key_id === null) return null;
  const scope = SCOPES.find((each) => each === limit.scope);
  const window = WINDOWS.find((each) => each === limit.window);
  if (scope === undefined || window === undefined || (mayRaise && scope !== 'session')) return null;
  return { key_id, scope, id: limit.id, name: limit.name ?? '', window };
}

/** An ingress of a later version may name others. */
const SCOPES = ['project', 'service_account', 'member', 'key', 'session'] as const;
const WINDOWS = ['day', 'week', 'month', 'total', 'session'] as const;

function actionOf(reason: RefusalReason, keyName: string): RefusalAction | null {
  switch (reason) {
    case 'account_in_debt':
    case 'insufficient_balance':
    case 'held_by_open_requests':
      return { label: 'Top up', target: 'top_up', section: null };
    case 'cap_exceeded':
    case 'cap_held_by_open_requests':
      return { label: `Raise the cap of ${keyName}`, target: 'key', section: 'caps' };
    case 'rate_limited':
    case 'too_many_open_requests':
      return { label: `Change the limits of ${keyName}`, target: 'key', section: 'limits' };
    case 'model_not_supported':
      return { label: `Change the models of ${keyName}`, target: 'key', section: 'models' };
    case 'key_expired':
      return { label: `Change the expiry of ${keyName}`, target: 'key', section: 'expiry' };
    case 'key_off':
      return { label: `See what ${keyName} belongs to`, target: 'key', section: null };
    case 'key_deleted':
      return { label: 'Create a key', target: 'new_key', section: null };
    case 'model_not_available':
    case 'protocol_not_supported':
      return { label: 'See the models', target: 'models', section: null };
    case 'account_suspended':
    case 'request_too_expensive':
    case 'too_much_memory':
    case 'unknown_endpoint':
    case 'invalid_request':
    case 'ledger_unavailable':
    case 'gateway_overloaded':
    case 'gateway_unavailable':
    case 'internal_error':
      return null;
    default:
      return reason satisfies never;
  }
}
