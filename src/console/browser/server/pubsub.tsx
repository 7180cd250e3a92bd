import { useState } from 'preact/hooks';
import { post, type WireBytes } from '../api.js';
import { bytesSize, count, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { Bytes } from '../ui/bytes.js';
import { Form, TextInput } from '../ui/inputs.js';
import { Failure, PageHead, Panel, Table } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { useLoaded, useStream } from '../ui/use.js';

interface Received {
  readonly id: number;
  readonly at: number;
  readonly channel: WireBytes;
  readonly message: WireBytes;
  readonly length: number;
  readonly dropped: number;
}

interface Channels {
  readonly patterns: number;
  readonly channels: readonly { readonly channel: WireBytes; readonly subscribers: number }[];
}

const MAX_KEPT = 200;
let nextId = 1;

/** Messages as they are published, and the channels that have subscribers. */
export default function PubSub({ session }: PageProps) {
  const channels = useLoaded<Channels>('server/channels');
  const [pattern, setPattern] = useState('*');
  const [listening, setListening] = useState<string>();
  const [isReady, setReady] = useState(false);
  const [messages, setMessages] = useState<readonly Received[]>([]);
  const failure = useStream(
    listening === undefined ? undefined : 'server/messages',
    { pattern: listening ?? '' },
    {
      ready: () => setReady(true),
      message: (message: Received) =>
        setMessages((before) => [{ ...message, id: nextId++ }, ...before].slice(0, MAX_KEPT)),
    },
  );
  return (
    <>
      <PageHead title={t('Publish/subscribe')} />
      <Failure error={failure} />
      <div class="columns">
        <Panel title={t('Messages')}>
          <Form
            class="row"
            submit={() => {
              setReady(false);
              setListening(listening === undefined ? pattern : undefined);
            }}
          >
            <label class="grow">
              {t('Channels that match')}
              <input
                value={pattern}
                required
                readOnly={listening !== undefined}
                spellcheck={false}
                onInput={(event) => setPattern(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="main">
              {listening === undefined ? t('Listen') : t('Stop')}
            </button>
          </Form>
          {listening !== undefined && (
            <p class="dim" aria-live="polite">
              {isReady ? t('Listening.') : t('Connecting…')}
            </p>
          )}
          <Table
            label={t('Messages')}
            columns={[
              { title: t('Time'), cell: ({ at }) => new Date(at).toLocaleTimeString('en-GB') },
              { title: t('Channel'), cell: ({ channel }) => <Bytes value={channel} /> },
              {
                title: t('Message'),
                cell: ({ message, length }) => (
                  <>
                    <Bytes value={message} /> {length > 4096 && <span class="dim">{bytesSize(length)}</span>}
                  </>
                ),
              },
            ]}
            rows={messages}
            rowKey={({ id }) => id}
            empty={t('No message yet.')}
          />
        </Panel>
        <div class="stack">
          {!session.readOnly && <Publish />}
          <Panel
            title={t('Channels')}
            actions={
              <button type="button" class="quiet" onClick={channels.reload}>
                {t('Reload')}
              </button>
            }
          >
            <Failure error={channels.failure} />
            <Table
              label={t('Channels')}
              columns={[
                { title: t('Channel'), cell: ({ channel }) => <Bytes value={channel} /> },
                { title: t('Subscribers'), isNumber: true, cell: ({ subscribers }) => count(subscribers) },
              ]}
              rows={channels.value?.channels ?? []}
              rowKey={({ channel }) => JSON.stringify(channel)}
              empty={t('No channel has subscribers.')}
            />
            <p class="dim">
              {t('{count} patterns are subscribed to.', { count: count(channels.value?.patterns ?? 0) })}
            </p>
          </Panel>
        </div>
      </div>
    </>
  );
}

function Publish() {
  const [channel, setChannel] = useState('');
  const [message, setMessage] = useState('');
  const publish = (): Promise<unknown> => post('server/publish', { channel, message });
  return (
    <Panel title={t('Publish')}>
      <Form class="stack" submit={() => attempt(publish, t('Published.'))}>
        <TextInput label={t('Channel')} value={channel} set={setChannel} isRequired />
        <TextInput label={t('Message')} rows={3} value={message} set={setMessage} />
        <div>
          <button type="submit" class="main">
            {t('Publish')}
          </button>
        </div>
      </Form>
    </Panel>
  );
}
