import { arch, release, totalmem, type } from 'node:os';
import { execPath, memoryUsage, pid, resourceUsage } from 'node:process';
import type { MachineFigures } from '../../commands/host-port.js';

/** Current information about this process from the operating system. */
export function machineFigures(): MachineFigures {
  const { rss, heapTotal, heapUsed, external } = memoryUsage();
  const { systemCPUTime, userCPUTime } = resourceUsage();
  return {
    system: `${type()} ${release()} ${arch() === 'x64' ? 'x86_64' : arch()}`,
    processId: pid,
    executable: execPath,
    systemBytes: totalmem(),
    residentBytes: rss,
    allocatedBytes: heapUsed + external,
    activeBytes: heapTotal + external,
    systemMicros: systemCPUTime,
    userMicros: userCPUTime,
  };
}
