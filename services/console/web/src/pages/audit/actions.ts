import { shortMoney } from '../../format/money.ts';

/** What entries of an account are about: the first part of their action, by which the log can be filtered. */
export const SUBJECTS: readonly { value: string; label: string }[] = [
  { value: 'key', label: 'Keys' },
  { value: 'project', label: 'Projects' },
  { value: 'service_account', label: 'Service accounts' },
  { value: 'project_member', label: 'Members in projects' },
  { value: 'limit_request', label: 'Limit requests' },
  { value: 'management_key', label: 'Management keys' },
  { value: 'member', label: 'Members' },
  { value: 'invitation', label: 'Invitations' },
  { value: 'deposit', label: 'Deposits' },
  { value: 'payment', label: 'Payments' },
  { value: 'payment_limit', label: 'Limits of payments' },
  { value: 'payment_method', label: 'Saved cards' },
  { value: 'top_up', label: 'Automatic top-up' },
  { value: 'thresholds', label: 'Alerts' },
  { value: 'account', label: 'Account' },
];

/** In the log of all accounts. */
export const ALL_SUBJECTS: readonly { value: string; label: string }[] = [
  ...SUBJECTS,
  { value: 'person', label: 'People' },
  { value: 'password', label: 'Passwords' },
  { value: 'identity', label: 'OpenID Connect' },
  { value: 'operator', label: 'Operators' },
  { value: 'voucher', label: 'Vouchers' },
  { value: 'quarantine', label: 'Quarantine' },
  { value: 'ledger', label: 'Ledger' },
];

/** Where "verb subject" is not what people say. */
const TITLES: Record<string, string> = {
  'identity.link': 'Link OpenID Connect identity',
  'password.create_reset': 'Create password reset link',
  'limit_request.create': 'Ask for a higher limit',
  'payment_limit.update': 'Change daily limit of payments',
  'payment_method.delete': 'Remove saved card',
  'project_member.update': 'Limit member in project',
  'quarantine.repost': 'Post quarantined charge',
  'top_up.delete': 'Switch automatic top-up off',
  'top_up.resume': 'Resume automatic top-up',
  'top_up.update': 'Set automatic top-up',
  'thresholds.update': 'Update alert thresholds',
};

/** `Create management key` for `management_key.create`. */
export function actionTitle(action: string): string {
  const title = TITLES[action];
  if (title !== undefined) return title;
  const [subject = '', verb = ''] = action.split('.');
  const words = `${verb} ${subject}`.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Target {
  action: string;
  target_id: string;
  target_name: string;
  details: Readonly<Record<string, string>>;
}

/** What a change was made to: a name, of a deposit its kind and amount, or else the id. */
export function targetText({ action, target_id, target_name, details }: Target): string {
  const { amount } = details;
  if (action === 'deposit.create' && amount !== undefined) {
    return `${target_name.charAt(0).toUpperCase()}${target_name.slice(1)} of ${shortMoney(amount)}`;
  }
  if (action.startsWith('top_up.')) return target_name;
  if (action.startsWith('payment_limit.')) return 'Payments by card';
  if (action === 'payment.refund' && amount !== undefined) return `${shortMoney(amount)} of a payment`;
  return target_name || target_id;
}

/** The page of what was changed; null: there is none. Deleted keys have one, members who left have not. */
export function targetHref({ action, account_id, target_id }: Target & { account_id: string | null }): string | null {
  const [subject] = action.split('.');
  if (account_id === null) return subject === 'operator' ? '/operator/operators' : null;
  const page = pageOfTarget(subject ?? '', encodeURIComponent(target_id));
  return page === null ? null : `/accounts/${account_id}${page}`;
}

function pageOfTarget(subject: string, id: string): string | null {
  switch (subject) {
    case 'key':
      return `/keys/${id}`;
    case 'project':
      return `/projects/${id}`;
    case 'member':
      return `/members?member=${id}`;
    case 'invitation':
      return '/members';
    case 'management_key':
      return '/management-keys';
    case 'limit_request':
      return `/limit-requests?request=${id}`;
    case 'deposit':
    case 'payment_method':
      return '/top-up';
    case 'payment':
      return `/top-up?payment=${id}`;
    case 'thresholds':
      return '/alerts';
    case 'payment_limit':
    case 'account':
      return '/settings';
    default:
      return null;
  }
}
