export type Theme = 'system' | 'light' | 'dark';

const STORED = 'sorrel-console-theme';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORED, theme);
  document.documentElement.dataset['theme'] = theme;
  dispatchEvent(new Event('themechange'));
}

/** The value of a CSS colour variable, for what is drawn on a canvas. */
export function colour(name: string): string {
  const probe = document.createElement('i');
  probe.className = 'probe';
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
