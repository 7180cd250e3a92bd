/** The live page: statuses as they are posted, and gone when they are deleted. */
const list = document.querySelector('#live');
if (list !== null) {
  let source;
  const watch = (track) => {
    source?.close();
    list.replaceChildren();
    source = new EventSource(`/stream${track === '' ? '' : `?track=${encodeURIComponent(track)}`}`);
    source.onmessage = ({ data }) => {
      const { message } = JSON.parse(data);
      const card = document.createElement('article');
      card.id = message.id;
      const author = document.createElement('a');
      author.href = `/@${message.user}`;
      author.textContent = `@${message.user}`;
      const text = document.createElement('p');
      text.textContent = message.text;
      card.append(author, text);
      list.prepend(card);
      while (list.children.length > 100) list.lastElementChild.remove();
    };
    source.addEventListener('deletion', ({ data }) => {
      document.getElementById(JSON.parse(data).id)?.remove();
    });
  };
  document.querySelector('#filter').addEventListener('submit', (event) => {
    event.preventDefault();
    watch(new FormData(event.target).get('track').trim());
  });
  watch('');
}
