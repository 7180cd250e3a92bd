/** The feed of examples/feed, as its users start it, from the sign-up to the live stream. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Application, Browser, formOf, KINDS, type Kind, until } from './support.js';

const SECRET = { FEED_SECRET: 'a secret that all processes of the test share' };

class User extends Browser {
  /** Sends a form; returns the page after it. */
  async post(path: string, form: Readonly<Record<string, string>>): Promise<string> {
    return this.get(await this.send(path, form));
  }

  /** The texts on a page, and the ids of their statuses. */
  async texts(path: string): Promise<string[]> {
    return [...(await this.get(path)).matchAll(/<p class="text">(.*)<\/p>/g)].map(([, text = '']) =>
      text.replaceAll(/<[^>]*>/g, ''),
    );
  }

  async newest(path: string): Promise<string> {
    return /<article id="([^"]+)"/.exec(await this.get(path))?.[1] ?? '';
  }
}

/** Reads events of the stream. */
class Watcher {
  readonly #end = new AbortController();
  readonly lines: string[] = [];
  readonly #done: Promise<void>;

  private constructor(response: Response) {
    this.#done = this.#read(response).catch(() => {});
  }

  static async open(user: User, query: string): Promise<Watcher> {
    const controller = new AbortController();
    const response = await user.ask(`/stream${query}`, { signal: controller.signal });
    assert.equal(response.status, 200);
    const watcher = new Watcher(response);
    watcher.#end.signal.addEventListener('abort', () => controller.abort());
    return watcher;
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const lines = text.split('\n');
      text = lines.pop() as string;
      this.lines.push(...lines.filter((line) => line !== ''));
    }
  }

  get events(): { kind: string; id?: string; message?: { text: string } }[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }

  /** Resolves when the server has ended the response. */
  get ended(): Promise<void> {
    return this.#done;
  }
}

for (const kind of KINDS) {
  describe(`The feed, ${kind.name}`, { skip: kind.skip, timeout: 300_000 }, () => {
    let place: Awaited<ReturnType<Kind['start']>>;
    let feeds: Application[];
    let ann: User;
    let bob: User;

    before(async () => {
      place = await kind.start();
      feeds = await Promise.all(
        Array.from({ length: kind.processes }, () => Application.start('feed', place.address, SECRET)),
      );
      // If there are two processes, each user talks to another one.
      [ann, bob] = [new User(feeds[0] as Application), new User(feeds.at(-1) as Application)];
    });
    after(async () => {
      for (const feed of feeds ?? []) feed.kill();
      await place?.stop();
    });

    it('signs users up, by names that are taken once', async () => {
      assert.match(await ann.post('/login', { user: 'Ann' }), /Welcome, ann\./);
      assert.match(await bob.post('/login', { user: 'bob' }), /Welcome, bob\./);
      assert.match(
        await new User(feeds[0] as Application).post('/login', { user: 'ANN' }),
        /Welcome back, ann\./,
      );
      assert.equal((await ann.ask('/login', formOf({ user: 'not a name!' }))).status, 400);
      assert.equal((await ann.ask('/@missing.user')).status, 404);
    });

    it('brings statuses to followers, with links and without markup of their authors', async () => {
      assert.match(await bob.post('/follow', { user: 'ann' }), /Done\./);
      await ann.post('/post', { text: 'Hello @bob, this is #Redis <script>' });
      await until('bob has it', async () => (await bob.texts('/')).length === 1);
      const home = await bob.get('/');
      assert.match(home, /<a href="\/@bob">@bob<\/a>/);
      assert.match(home, /<a href="\/search\?q=redis">#Redis<\/a>/);
      assert.doesNotMatch(home, /<script>/);
      assert.match(await bob.get('/@ann'), /<b>1<\/b> posts · <b>1<\/b> followers/);
      const status = await bob.newest('/');
      const liked = await bob.post('/like', { status });
      assert.match(liked, /You like it\.[\s\S]*♥ 1/);
      assert.match(liked, /<button>Unlike<\/button>/);
      assert.doesNotMatch(liked, /<button>Like<\/button>/);
      assert.match(await bob.get('/@ann'), /<button>Unlike<\/button>/);
      assert.match(await ann.get('/@ann'), /<button>Like<\/button>/, 'ann does not like it');
      const again = await bob.post('/unlike', { status });
      assert.match(again, /any more\.[\s\S]*♥ 0[\s\S]*<button>Like<\/button>/);
    });

    it('shows an ad that fits what is read, and counts a click once', async () => {
      const [, target = ''] = /name="target" value="([^"]+)"/.exec(await bob.get('/')) ?? [];
      assert.match(await bob.get('/'), /A keyboard that sounds right/);
      assert.match(await bob.post('/ad', { target }), /the advertiser/);
    });

    it('pages through a long profile', async () => {
      for (let i = 0; i < 25; i++) await ann.send('/post', { text: `number ${i}` });
      const first = await ann.get('/@ann');
      const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first) ?? [];
      const older = await ann.texts(next.replaceAll('&#38;', '&'));
      assert.equal((await ann.texts('/@ann')).length + older.length, 26);
      assert.equal(older.at(-1), 'Hello @bob, this is #Redis &#60;script&#62;');
    });

    it('finds statuses by their words, and shows visitors those of all', async () => {
      assert.deepEqual(await bob.texts('/search?q=hello'), ['Hello @bob, this is #Redis &#60;script&#62;']);
      assert.equal((await bob.texts('/search?q=number')).length, 25);
      assert.equal((await bob.ask('/search?q=%22open')).status, 400);
      assert.equal((await new User(feeds[0] as Application).texts('/'))[0], 'number 24');
    });

    it('keeps lists with timelines of their own', async () => {
      const lists = await bob.post('/lists', { name: 'friends' });
      const [, list = ''] = /name="list" value="([^"]+)"/.exec(lists) ?? [];
      assert.match(await bob.post('/list/add', { list, user: 'ann' }), /Done\.[\s\S]*number 24/);
      assert.match(await ann.post('/list/add', { list, user: 'bob' }), /You have no such list/);
      assert.doesNotMatch(await bob.post('/list/delete', { list }), /friends/);
    });

    it('streams what is posted and deleted, to all who watch in all processes', async () => {
      const [watcher, words] = [
        await Watcher.open(ann, ''),
        await Watcher.open(bob, '?track=redis,tea%20time'),
      ];
      await ann.send('/post', { text: 'time for tea' });
      await bob.send('/post', { text: 'something else' });
      await bob.send('/post', { text: 'REDIS!' });
      const id = await bob.newest('/@bob');
      assert.match(await bob.post('/delete', { status: id }), /Deleted\./);
      await until('all have it', async () => words.lines.length === 3 && watcher.lines.length === 4);
      const shown = (events: Watcher['events']): unknown[] =>
        events.map(({ message, id: deleted }) => message?.text ?? deleted);
      assert.deepEqual(shown(words.events), ['time for tea', 'REDIS!', id]);
      assert.deepEqual(shown(watcher.events), ['time for tea', 'something else', 'REDIS!', id]);
      assert.deepEqual(await bob.texts('/search?q=redis!'), ['Hello @bob, this is #Redis &#60;script&#62;']);
      const past = await Watcher.open(bob, '?after=0-0&follow=bob');
      await until('the past is sent', async () => past.lines.length >= 3);
      for (const one of [watcher, words, past]) await one.close();
      assert.equal((await bob.ask('/stream?trakc=x')).status, 400);
    });

    it('lets users block others', async () => {
      await ann.send('/block', { user: 'bob' });
      assert.deepEqual(await bob.texts('/'), []);
      assert.match(await bob.post('/follow', { user: 'ann' }), /has blocked/);
    });

    it('refuses forms of other sites, and those of visitors who are not logged in', async () => {
      const foreign = { ...formOf({ text: 'x' }), headers: { 'sec-fetch-site': 'cross-site' } };
      assert.equal((await ann.ask('/post', foreign)).status, 403);
      assert.equal(await new User(feeds[0] as Application).send('/post', { text: 'x' }), '/login');
      assert.equal((await ann.ask('/post', formOf({ text: '' }))).status, 400);
    });

    it('stops when it is told to, and ends the stream', async () => {
      const watcher = await Watcher.open(ann, '');
      const codes = await Promise.all(feeds.map((feed) => feed.stop()));
      assert.deepEqual(
        codes,
        feeds.map(() => 0),
      );
      await watcher.ended;
    });
  });
}
