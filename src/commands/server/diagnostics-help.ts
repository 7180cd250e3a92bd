/** The replies of HELP for each container of diagnostics. */
export const slowlogHelp = [
  'GET [<count>]',
  '    Return top <count> entries from the slowlog (default: 10, -1 mean all).',
  '    Entries are made of:',
  '    id, timestamp, time in microseconds, arguments array, client IP and port,',
  '    client name',
  'LEN',
  '    Return the length of the slowlog.',
  'RESET',
  '    Reset the slowlog.',
];

export const latencyHelp = [
  'DOCTOR',
  '    Return a human readable latency analysis report.',
  'GRAPH <event>',
  '    Return an ASCII latency graph for the <event> class.',
  'HISTORY <event>',
  '    Return time-latency samples for the <event> class.',
  'LATEST',
  '    Return the latest latency samples for all events.',
  'RESET [<event> ...]',
  '    Reset latency data of one or more <event> classes.',
  '    (default: reset all data for all event classes)',
  'HISTOGRAM [COMMAND ...]',
  '    Return a cumulative distribution of latencies in the format of a histogram for the specified command names.',
  '    If no commands are specified then all histograms are replied.',
];

export const memoryHelp = [
  'DOCTOR',
  '    Return memory problems reports.',
  'MALLOC-STATS',
  '    Return internal statistics report from the memory allocator.',
  'PURGE',
  '    Attempt to purge dirty pages for reclamation by the allocator.',
  'STATS',
  '    Return information about the memory usage of the server.',
  'USAGE <key> [SAMPLES <count>]',
  '    Return memory in bytes used by <key> and its value. Nested values are',
  '    sampled up to <count> times (default: 5, 0 means sample all).',
];
