import { type Event, EventState } from '@tollgate/proto/ledger';
import { z } from 'zod';
import { renderTime } from './time.ts';

/** What the ledger sends with its events; amounts are decimal dollars. */
const data = z.object({ threshold: z.string().optional(), balance: z.string(), owed: z.string().optional() });

/** An event of an account, as one sentence. */
export function renderAlertEvent(event: Event) {
  return {
    event_id: event.eventId,
    type: event.type,
    sentence: sentenceOf(event),
    created_at: renderTime(event.createdAtMs),
    state: stateOf(event.state),
  };
}

function sentenceOf(event: Event): string {
  const { threshold, balance, owed } = data.parse(JSON.parse(event.dataJson));
  switch (event.type) {
    case 'balance.low':
      return `The balance fell to $${balance}, to or below the threshold of $${threshold ?? '?'}.`;
    case 'account.suspended':
      return `The account owes $${owed ?? '?'}: its requests are refused until it is paid.`;
    case 'account.unsuspended':
      return `The account owes nothing any more: its requests are accepted. Its balance is $${balance}.`;
    default:
      return `${event.type}, at a balance of $${balance}.`;
  }
}

/** The state of its delivery to the webhook. */
function stateOf(state: EventState): string {
  switch (state) {
    case EventState.PENDING:
      return 'pending';
    case EventState.DELIVERED:
      return 'delivered';
    case EventState.GIVEN_UP:
      return 'given_up';
    case EventState.UNSENT:
      return 'unsent';
    case EventState.UNSPECIFIED:
      return 'unknown';
    default:
      return state satisfies never;
  }
}
