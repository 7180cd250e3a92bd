import type { Call } from '../call.js';
import { CommandError } from '../errors.js';

export function monitor(call: Call): void {
  if (!call.mayBlock) throw new CommandError("ERR MONITOR isn't allowed for DENY BLOCKING client");
  // Redis does not reply to a second MONITOR.
  if (call.session.isMonitor) return;
  call.engine.monitors.add(call.session);
  call.reply.ok();
}
