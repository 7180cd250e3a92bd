import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Debian's package `chromium`, or the program that the variable names. */
const CHROMIUM = process.env['SORREL_CHROMIUM'] ?? '/usr/bin/chromium';

/** For `describe` and `it`: skips where Chromium is missing, and says so. */
export const whenChromiumIsInstalled = {
  skip: existsSync(CHROMIUM) ? false : "Chromium is not installed (Debian: 'apt-get install chromium')",
};

/** One browser for a whole test file. */
export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<TestBrowser> {
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    });
    return new TestBrowser(browser);
  }

  /** A new window with the address opened. It has its own storage. */
  async open(address: string, options: OpenOptions = {}): Promise<Visit> {
    const { width = 1280, height = 800, dark = false, locale = 'en-US' } = options;
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      locale,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const visit = new Visit(context, page);
    await page.goto(address);
    return visit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly locale?: string;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** A window with a page in it. Collects what the page reports as errors. */
export class Visit implements AsyncDisposable {
  readonly page: Page;
  readonly #context: BrowserContext;
  /** Errors of the browser's console, exceptions, and violations of the content security policy. */
  readonly errors: string[] = [];

  constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.on('pageerror', (error) => this.errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.errors.push(message.text());
    });
  }

  /** Opens a page of the menu by its name, as a person does. */
  async choose(title: string): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click();
    await this.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  }

  /** What axe-core finds wrong with the page as it is now, one line per finding. */
  async accessibilityProblems(): Promise<string[]> {
    // Evaluated by the debugger: the page's own policy forbids scripts from elsewhere.
    await this.page.evaluate(`if (typeof axe === 'undefined') { ${axe} }`);
    const violations = (await this.page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)',
    )) as readonly Violation[];
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} — ${failureSummary.replace(/\s+/g, ' ')}`,
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}
