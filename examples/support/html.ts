/** A piece of HTML that may be inserted as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | false | readonly Part[];

/**
 * HTML with values in it. Values are escaped, unless they are HTML themselves; lists are joined.
 *
 * @example
 * html`<p>${'a < b'}</p>`.text; // '<p>a &lt; b</p>'
 */
export function html(texts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(texts.map((text, i) => text + (i < values.length ? shown(values[i]) : '')).join(''));
}

function shown(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(shown).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A whole page: `site` is the name of the example and of its script in public/. */
export function document(site: string, title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title} · Sorrel ${site}</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/public/base.css">
  <link rel="stylesheet" href="/public/style.css">
  <script src="/public/${site.toLowerCase()}.js" defer></script>
</head>
<body>
${body}
</body>
</html>`.text;
}
