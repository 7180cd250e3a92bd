import { render } from 'preact';
import { takeToken } from './api.js';
import { App } from './app.js';
import { chosenLanguage, useLanguage } from './i18n.js';
import { applyTheme, chosenTheme } from './theme.js';

takeToken();
applyTheme(chosenTheme());
await useLanguage(chosenLanguage());
render(<App />, document.getElementById('console') as HTMLElement);
