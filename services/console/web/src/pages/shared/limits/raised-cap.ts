import { type RefObject, useEffect } from 'react';

const PERIODS = ['day', 'week', 'month', 'total'] as const;

/**
 * Gives the focus to the field of the cap that is to be raised.
 *
 * @param raise its period; undefined: none. An unknown one: which cap a refusal was about is not always known
 * @param likely the period then
 * @param onRaising the field has the focus
 */
export function useRaisedCap(
  form: RefObject<HTMLElement | null>,
  raise: string | undefined,
  likely: string,
  onRaising: (() => void) | undefined,
): void {
  useEffect(() => {
    if (raise === undefined) return;
    const period = PERIODS.find((each) => each === raise) ?? likely;
    const field = form.current?.querySelector<HTMLInputElement>(`input[name="caps.${period}"]`);
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
    field?.select();
    onRaising?.();
  }, [form, raise, likely, onRaising]);
}
