import type { Item } from '../../api/client.ts';
import { shortMoney } from '../../format/money.ts';
import { capLabel } from '../keys/caps.ts';

export type LimitRequest = Item<'GET /accounts/{account_id}/limit-requests'>;

const SCOPES = {
  project: 'project',
  service_account: 'service account',
  member: 'member',
  key: 'key',
  session: 'session',
} as const;

/** The cap that it is about: `monthly cap of the project Research`, `limit of the session nightly`. */
export function limitName({ scope, name, window }: Pick<LimitRequest, 'scope' | 'name' | 'window'>): string {
  const cap = window === 'session' ? 'limit' : capLabel(window).toLowerCase();
  return `${cap} of the ${SCOPES[scope]}${name === '' ? '' : ` ${name}`}`;
}

const WINDOWS = { day: 'today', week: 'this week', month: 'this month', session: 'this session' } as const;

/** `this month`, for which a limit may be raised; null: a total cap has no end. */
export function windowName(window: LimitRequest['window']): string | null {
  return window === 'total' ? null : WINDOWS[window];
}

/** The answer as a sentence; null: there is none yet. */
export function answerText(request: Omit<LimitRequest, 'answered_by'> & { answered_by: { name: string } | null }) {
  const { status, granted, granted_for, window, answered_by, note } = request;
  const by = answered_by === null ? '' : ` by ${answered_by.name}`;
  const said = note === '' ? '' : ` “${note}”`;
  switch (status) {
    case 'open':
      return null;
    case 'granted': {
      const until = granted_for === 'always' ? 'for good' : `for ${windowName(window) ?? 'good'}`;
      return `${shortMoney(granted ?? '0')} ${until}, granted${by}.${said}`;
    }
    case 'declined':
      return `Declined${by}.${said}`;
    case 'withdrawn':
      return 'Withdrawn.';
    default:
      return status satisfies never;
  }
}

export const STATUS = {
  open: { label: 'Open', tone: 'warn' },
  granted: { label: 'Granted', tone: 'good' },
  declined: { label: 'Declined', tone: 'neutral' },
  withdrawn: { label: 'Withdrawn', tone: 'neutral' },
} as const satisfies Record<LimitRequest['status'], { label: string; tone: 'warn' | 'good' | 'neutral' }>;

/** What a limit request or its answer changes. */
export const LIMIT_REQUEST_READS = [
  'GET /accounts/{account_id}/limit-requests',
  'GET /accounts/{account_id}/limit-requests/{limit_request_id}',
] as const;
