// Preloaded into the server under test (--import): measures how late its event loop runs timers, and answers its parent.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', () => {
  process.send?.({ longest: delay.max / 1e6, p999: delay.percentile(99.9) / 1e6 });
  delay.reset();
});
