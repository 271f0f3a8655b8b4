import { describe, expect, it } from 'vitest';
import { firstDraft, readAutomatic } from './automatic-draft.ts';
import { type AutomaticTopUp, pauseText, ruleText } from './automatic-text.ts';

const RULE = { threshold: '5.00', target: '25.00', monthly_max: '100.00', method_id: 'pm_1', method: 'visa 4242' };
const ON: AutomaticTopUp = {
  state: 'on',
  offered: true,
  rule: RULE,
  pause_reason: null,
  resumes_at: null,
  failure: null,
  confirm: null,
  month: '0.00',
};

describe('the form', () => {
  const draft = { threshold: '5', target: '25', monthly_max: '100', method_id: 'pm_1' };

  it('begins with what is in force, or above the least payment', () => {
    expect(firstDraft(ON, '5.00', 'pm_1')).toEqual(draft);
    expect(firstDraft({ ...ON, state: 'off', rule: null }, '5.00', 'pm_2')).toEqual({ ...draft, method_id: 'pm_2' });
  });

  it.each([
    [{ threshold: 'five' }, { threshold: expect.stringContaining('dollars and cents') }],
    [{ target: '9.99' }, { target: 'Must be at least $5 above the threshold.' }],
    [{ monthly_max: '19' }, { monthly_max: 'Must be at least $20.' }],
    [{ method_id: '' }, { method_id: 'Choose a saved card.' }],
  ])('with %o says what is wrong', (changes, errors) => {
    expect(readAutomatic({ ...draft, ...changes }, '5.00')).toEqual({ rule: null, errors });
  });
});

describe('the text', () => {
  it('says what happens when', () => {
    expect(ruleText(RULE)).toBe(
      'When the balance falls to $5, Visa 4242 is charged what is missing to $25: at most $100 in a month.',
    );
    expect(pauseText(ON, '')).toBeNull();
  });

  it.each([
    ['confirmation', 'Paused: a payment was not confirmed'],
    ['retry', 'The card was declined'],
    ['declined', 'Paused: the card was declined'],
    ['card_removed', 'Paused: the card was removed'],
    ['monthly_max', 'Paused: the monthly maximum is reached'],
    ['daily_limit', 'Paused: the limit of payments is reached'],
    ['dispute', 'Paused: a payment is disputed'],
    ['refused', 'Paused: the charge was refused'],
  ] as const)('of the pause %s has the title "%s"', (pause_reason, title) => {
    expect(pauseText({ ...ON, state: 'paused', pause_reason }, 'at noon')?.title).toBe(title);
  });

  it('asks for a confirmation while there is one', () => {
    const confirm = { number: 1, amount: '23.00', until: '2026-12-01T00:00:00Z' };
    expect(pauseText({ ...ON, pause_reason: 'confirmation', confirm }, '')?.title).toBe(
      'Paused: confirm the payment of $23',
    );
  });
});
