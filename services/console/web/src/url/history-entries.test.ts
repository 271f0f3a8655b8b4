import { expect, test } from 'vitest';
import { HistoryEntries } from './history-entries.ts';

/** A history as browsers have it. */
class Browser {
  scrollY = 0;
  readonly states: unknown[] = [null];
  at = 0;
  readonly history = {
    replaceState: (state: unknown) => {
      this.states[this.at] = state;
    },
    stateOf: () => this.states[this.at],
    get state(): unknown {
      return this.stateOf();
    },
  };

  push(): void {
    this.states.splice(this.at + 1, this.states.length, null);
    this.at += 1;
  }

  /** As the app does for filters: without a state. */
  replace(): void {
    this.states[this.at] = null;
  }
}

test('Back returns to where a page was left, with what it kept', () => {
  const browser = new Browser();
  const entries = new HistoryEntries(browser);
  entries.keep('loaded', ['a', 'b']);
  browser.scrollY = 900;
  browser.push();
  entries.moved();
  expect(entries.scrollY).toBe(0);
  expect(entries.read('loaded')).toBeUndefined();

  browser.scrollY = 40;
  browser.at = 0;
  entries.moved();
  expect(entries.scrollY).toBe(900);
  expect(entries.read('loaded')).toEqual(['a', 'b']);

  browser.at = 1;
  entries.moved();
  expect(entries.scrollY).toBe(40);
});

test('a change of filters stays in the entry', () => {
  const browser = new Browser();
  const entries = new HistoryEntries(browser);
  entries.keep('loaded', 1);
  browser.replace();
  entries.replaced();
  browser.push();
  entries.moved();
  browser.at = 0;
  entries.moved();
  expect(entries.read('loaded')).toBe(1);
});

test('a page that is opened again from a link starts at its top', () => {
  const browser = new Browser();
  const entries = new HistoryEntries(browser);
  entries.keep('loaded', 1);
  browser.scrollY = 900;
  browser.push();
  entries.moved();
  browser.push();
  entries.moved();
  expect(entries.scrollY).toBe(0);
  expect(entries.read('loaded')).toBeUndefined();
});

test('after a reload nothing is known of earlier entries', () => {
  const browser = new Browser();
  const before = new HistoryEntries(browser, 'before');
  browser.scrollY = 900;
  browser.push();
  before.moved();

  const after = new HistoryEntries(browser, 'after');
  browser.at = 0;
  after.moved();
  expect(after.scrollY).toBe(0);
});

test('the oldest entries are forgotten', () => {
  const browser = new Browser();
  const entries = new HistoryEntries(browser);
  entries.keep('loaded', 1);
  for (let pages = 0; pages < 50; pages++) {
    browser.push();
    entries.moved();
  }
  browser.at = 0;
  entries.moved();
  expect(entries.read('loaded')).toBeUndefined();
});
