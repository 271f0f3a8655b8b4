import type { AlertEvent } from './alerts-page.tsx';

/** What became of the e-mails of an alert. */
export function mailText({ sent, pending, failed }: AlertEvent['mails']): string {
  const parts = [
    sent > 0 && `Sent to ${sent}`,
    pending > 0 && `waiting for ${pending}`,
    failed > 0 && `failed for ${failed}`,
  ].filter((part) => part !== false);
  const text = parts.join(', ') || 'None';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What became of its webhook. */
export function webhookText(state: string): string {
  switch (state) {
    case 'pending':
      return 'Waiting';
    case 'delivered':
      return 'Delivered';
    case 'given_up':
      return 'Failed';
    default:
      return 'None';
  }
}
