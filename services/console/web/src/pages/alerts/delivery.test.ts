import { expect, it } from 'vitest';
import { mailText, webhookText } from './delivery.ts';

it.each([
  [{ sent: 0, pending: 0, failed: 0 }, 'None'],
  [{ sent: 2, pending: 0, failed: 0 }, 'Sent to 2'],
  [{ sent: 0, pending: 1, failed: 0 }, 'Waiting for 1'],
  [{ sent: 1, pending: 2, failed: 3 }, 'Sent to 1, waiting for 2, failed for 3'],
])('e-mails %o read "%s"', (mails, text) => {
  expect(mailText(mails)).toBe(text);
});

it.each([
  ['delivered', 'Delivered'],
  ['pending', 'Waiting'],
  ['given_up', 'Failed'],
  ['unsent', 'None'],
])('a webhook that is %s reads "%s"', (state, text) => {
  expect(webhookText(state)).toBe(text);
});
