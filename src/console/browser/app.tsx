import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../types/session.js';
import { type ApiFailure, get, hasToken, lateAnswers, storeToken } from './api.js';
import { type Language, language, t, useLanguage } from './i18n.js';
import { GROUPS, PAGES, type Page, type PageProps } from './pages.js';
import { hrefTo, useRoute } from './router.js';
import { applyTheme, chosenTheme, THEMES, type Theme } from './theme.js';
import { ConfirmDialog } from './ui/confirm.js';
import { Form } from './ui/inputs.js';
import { Notices } from './ui/notices.js';

/** The whole page: the menu, and the current page beside it. */
export function App() {
  const [session, setSession] = useState<SessionInfo>();
  const [failure, setFailure] = useState<ApiFailure>();
  const [tongue, setTongue] = useState<Language>(language());
  const load = (): void => {
    setFailure(undefined);
    get<SessionInfo>('session').then(setSession, setFailure);
  };
  useEffect(load, []);
  if (failure !== undefined) return <Closed failure={failure} retry={load} />;
  if (session === undefined) return <p class="loading">{t('Loading…')}</p>;
  const choose = async (next: Language): Promise<void> => {
    await useLanguage(next);
    setTongue(next);
  };
  return <Shell key={tongue} session={session} chooseLanguage={choose} />;
}

interface ShellProps {
  readonly session: SessionInfo;
  chooseLanguage(language: Language): Promise<void>;
}

function Shell({ session, chooseLanguage }: ShellProps) {
  const route = useRoute();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isLate = useLate();
  const page = PAGES.find(({ path }) => path === route.page);
  useEffect(() => {
    document.title = `${page === undefined ? '' : `${t(page.title)} · `}${session.title} · Sorrel`;
    setMenuOpen(false);
  }, [page]);
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {t('Skip to the content')}
      </button>
      <header class="bar">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <span aria-hidden="true">☰</span> <span class="hidden">{t('Menu')}</span>
        </button>
        <a class="brand" href="#/">
          Sorrel
        </a>
        <span class="store-name" title={session.servers.join(', ')}>
          {session.title}
        </span>
        {session.product !== '' && <span class="badge">{session.product}</span>}
        {session.readOnly && <span class="badge warn">{t('read-only')}</span>}
        <span role="status">
          {isLate && <span class="badge warn">{t('The server does not answer…')}</span>}
        </span>
        <Preferences chooseLanguage={chooseLanguage} />
      </header>
      <nav id="menu" class={isMenuOpen ? 'menu open' : 'menu'} aria-label={t('Pages')}>
        {GROUPS.map(({ name, title }) => (
          <MenuGroup key={name} title={t(title)} session={session} current={route.page} group={name} />
        ))}
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {page === undefined ? (
          <p>{t('There is no such page.')}</p>
        ) : (
          <LoadedPage key={page.path} page={page} route={route} session={session} />
        )}
      </main>
      <Notices />
      <ConfirmDialog />
    </div>
  );
}

/** Whether an answer is missing. */
function useLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const look = (): void => setLate(lateAnswers() > 0);
    addEventListener('late', look);
    return () => removeEventListener('late', look);
  }, []);
  return isLate;
}

interface MenuGroupProps {
  readonly title: string;
  readonly group: Page['group'];
  readonly session: SessionInfo;
  readonly current: string;
}

function MenuGroup({ title, group, session, current }: MenuGroupProps) {
  const pages = PAGES.filter((page) => page.group === group && page.isShown?.(session) !== false);
  if (pages.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {pages.map((page) => (
          <li key={page.path}>
            <a href={hrefTo(page.path)} aria-current={page.path === current ? 'page' : undefined}>
              {t(page.title)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Preferences({ chooseLanguage }: Pick<ShellProps, 'chooseLanguage'>) {
  const [theme, setTheme] = useState<Theme>(chosenTheme());
  const names: Readonly<Record<Theme, string>> = { system: t('System'), light: t('Light'), dark: t('Dark') };
  return (
    <div class="preferences">
      <label>
        <span class="hidden">{t('Colours')}</span>
        <select
          value={theme}
          onChange={(event) => {
            const next = event.currentTarget.value as Theme;
            applyTheme(next);
            setTheme(next);
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {names[name]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="hidden">{t('Language')}</span>
        <select
          value={language()}
          onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}
        >
          <option value="en" lang="en">
            English
          </option>
          <option value="zh" lang="zh-CN">
            中文
          </option>
        </select>
      </label>
    </div>
  );
}

/** Loads the code of a page when it is opened. A defect in one page leaves the others usable. */
function LoadedPage({ page, route, session }: PageProps & { readonly page: Page }) {
  const [Content, setContent] = useState<{ readonly component: ComponentType<PageProps> }>();
  const [failure, setFailure] = useState<Error>();
  const [defect, reset] = useErrorBoundary();
  useEffect(() => {
    page.load().then((module) => setContent({ component: module.default }), setFailure);
  }, []);
  if (defect !== undefined || failure !== undefined) {
    return (
      <div class="failure" role="alert">
        <p>
          {t('This page has failed.')} {String((defect as Error | undefined)?.message ?? failure?.message)}
        </p>
        <button type="button" onClick={() => (defect === undefined ? location.reload() : reset())}>
          {t('Try again')}
        </button>
      </div>
    );
  }
  if (Content === undefined) return <p class="loading">{t('Loading…')}</p>;
  const { component: Component } = Content;
  return <Component route={route} session={session} />;
}

/** Shown instead of everything if the token is wrong or the console does not answer. */
function Closed({ failure, retry }: { readonly failure: ApiFailure; retry(): void }) {
  const [token, setToken] = useState('');
  const asksToken = failure.code === 'TOKEN';
  return (
    <main class="closed">
      <h1>Sorrel</h1>
      <p role="alert">
        {asksToken && hasToken() && <b>{t('This token is not valid.')} </b>}
        {asksToken ? t('Open the address that the console printed, or enter its token.') : failure.message}
      </p>
      <Form
        submit={() => {
          if (asksToken) storeToken(token.trim());
          retry();
        }}
      >
        {asksToken && (
          <label>
            {t('Token')}
            <input
              type="password"
              autocomplete="off"
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          </label>
        )}
        <button type="submit" class="main">
          {asksToken ? t('Open') : t('Try again')}
        </button>
      </Form>
    </main>
  );
}
