import { stored, useStored } from '../format/stored.ts';

type Theme = 'system' | 'light' | 'dark';

/** The same name is read by public/theme.js before the first paint. */
const preference = stored<Theme>('tollgate.theme', ['system', 'light', 'dark'], 'system');

export const THEMES = [
  { value: 'system', label: 'Theme of the system' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
] as const;

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, set] = useStored(preference);
  return [
    theme,
    (next) => {
      set(next);
      if (next === 'system') delete document.documentElement.dataset['theme'];
      else document.documentElement.dataset['theme'] = next;
    },
  ];
}
