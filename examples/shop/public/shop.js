// What is personal (name, cart, notices), search as you type, and the live page. Pages work without it, except the live one.

const element = (id) => document.getElementById(id);

async function showVisitor() {
  const product = document.querySelector('[data-product]')?.dataset.product;
  const response = await fetch(product ? `/me?viewing=${product}` : '/me');
  const { user, cart, notice, place } = await response.json();
  element('cart-count').textContent = cart > 0 ? cart : '';
  const account = element('account');
  if (user) {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/logout' });
    form.append(
      `${user}${place ? ` (${place})` : ''} `,
      Object.assign(document.createElement('button'), { textContent: 'Log out' }),
    );
    account.replaceChildren(form);
  } else {
    account.replaceChildren(
      Object.assign(document.createElement('a'), { href: '/login', textContent: 'Log in' }),
    );
  }
  if (notice) Object.assign(element('notice'), { textContent: notice, hidden: false });
}

function searchAsYouType() {
  const input = document.querySelector('.search input');
  const list = document.querySelector('.search ul');
  let latest = 0;
  input.addEventListener('input', async () => {
    const mine = ++latest;
    const text = input.value.trim();
    const found = text === '' ? [] : await (await fetch(`/search?q=${encodeURIComponent(text)}`)).json();
    if (mine !== latest) return; // an older answer came late
    const items = found.map(({ name, link }) => {
      const item = document.createElement('li');
      item.append(Object.assign(document.createElement('a'), { href: link, textContent: name }));
      return item;
    });
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
  });
  input.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') list.hidden = true;
    if (key === 'ArrowDown') list.querySelector('a')?.focus();
  });
}

function watchLive() {
  if (element('live') === null) return;
  const fill = (id, texts) =>
    element(id).replaceChildren(
      ...texts.map((text) => Object.assign(document.createElement('li'), { textContent: text })),
    );
  new EventSource('/live/events').onmessage = ({ data }) => {
    const { series, top, slowest, messages } = JSON.parse(data);
    for (const { name, line, total } of series) {
      const row = document.querySelector(`[data-event="${name}"]`);
      row.children[1].textContent = line;
      row.children[2].textContent = total;
    }
    fill('top', top);
    fill('slowest', slowest);
    fill('messages', messages);
  };
}

showVisitor();
searchAsYouType();
watchLive();
