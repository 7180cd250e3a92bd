import { arg, type CommandRows } from '../../commands/row.js';

export const sentinelRows = {
  sentinel: {
    arity: -2,
    flags: ['admin'],
    docs: {
      summary: 'A container for Sentinel commands',
      since: '2.8.4',
      group: 'sentinel',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      ckquorum: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'Check for a Sentinel quorum',
          since: '2.8.4',
          group: 'sentinel',
          arguments: [arg.string('master-name')],
        },
      },
      config: {
        arity: -3,
        flags: ['admin'],
        docs: {
          summary: 'Configure Sentinel',
          since: '6.2.0',
          group: 'sentinel',
          complexity: 'O(1)',
          arguments: [
            arg.oneof('set_or_get', [
              arg.block('set_param_value', [arg.string('parameter'), arg.string('value')], {
                token: 'SET',
                multiple: true,
              }),
              arg.string('parameter', { token: 'GET', multiple: true }),
            ]),
          ],
        },
      },
      debug: {
        arity: -2,
        flags: ['admin'],
        docs: {
          summary: 'List or update the current configurable parameters',
          since: '7.0.0',
          group: 'sentinel',
          complexity: 'O(N) where N is the number of configurable parameters',
          arguments: [
            arg.block('parameter_value', [arg.string('parameter'), arg.string('value')], { multiple: true }),
          ],
        },
      },
      failover: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'Force a failover',
          since: '2.8.4',
          group: 'sentinel',
          arguments: [arg.string('master-name')],
        },
      },
      flushconfig: {
        arity: 2,
        flags: ['admin'],
        docs: {
          summary: 'Rewrite configuration file',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(1)',
        },
      },
      'get-master-addr-by-name': {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'Get port and address of a master',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(1)',
          arguments: [arg.string('master-name')],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '6.2.0',
          group: 'sentinel',
          complexity: 'O(1)',
        },
      },
      'info-cache': {
        arity: -3,
        flags: ['admin'],
        docs: {
          summary: 'Get cached INFO from the instances in the deployment',
          since: '3.2.0',
          group: 'sentinel',
          complexity: 'O(N) where N is the number of instances',
          arguments: [arg.string('nodename', { multiple: true })],
        },
      },
      'is-master-down-by-addr': {
        arity: 6,
        flags: ['admin'],
        docs: {
          summary: 'Check if a master is down',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(1)',
          arguments: [
            arg.string('ip'),
            arg.integer('port'),
            arg.integer('current-epoch'),
            arg.string('runid'),
          ],
        },
      },
      master: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'Shows the state of a master',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(1)',
          arguments: [arg.string('master-name')],
        },
      },
      masters: {
        arity: 2,
        flags: ['admin'],
        docs: {
          summary: 'List the monitored masters',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(N) where N is the number of masters',
        },
      },
      monitor: {
        arity: 6,
        flags: ['admin'],
        docs: {
          summary: 'Start monitoring',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(1)',
          arguments: [arg.string('name'), arg.string('ip'), arg.integer('port'), arg.integer('quorum')],
        },
      },
      myid: {
        arity: 2,
        flags: ['admin'],
        docs: {
          summary: 'Get the Sentinel instance ID',
          since: '6.2.0',
          group: 'sentinel',
          complexity: 'O(1)',
        },
      },
      'pending-scripts': {
        arity: 2,
        flags: ['admin'],
        docs: {
          summary: 'Get information about pending scripts',
          since: '2.8.4',
          group: 'sentinel',
        },
      },
      remove: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'Stop monitoring',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(1)',
          arguments: [arg.string('master-name')],
        },
      },
      replicas: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'List the monitored replicas',
          since: '5.0.0',
          group: 'sentinel',
          complexity: 'O(N) where N is the number of replicas',
          arguments: [arg.string('master-name')],
        },
      },
      reset: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'Reset masters by name pattern',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(N) where N is the number of monitored masters',
          arguments: [arg.pattern('pattern')],
        },
      },
      sentinels: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'List the Sentinel instances',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(N) where N is the number of Sentinels',
          arguments: [arg.string('master-name')],
        },
      },
      set: {
        arity: -5,
        flags: ['admin'],
        docs: {
          summary: 'Change the configuration of a monitored master',
          since: '2.8.4',
          group: 'sentinel',
          complexity: 'O(1)',
          arguments: [
            arg.string('master-name'),
            arg.block('option_value', [arg.string('option'), arg.string('value')], { multiple: true }),
          ],
        },
      },
      'simulate-failure': {
        arity: -3,
        flags: ['admin'],
        docs: {
          summary: 'Simulate failover scenarios',
          since: '3.2.0',
          group: 'sentinel',
          arguments: [
            arg.oneof(
              'mode',
              [arg.token('crash-after-election'), arg.token('crash-after-promotion'), arg.token('help')],
              { optional: true, multiple: true },
            ),
          ],
        },
      },
      slaves: {
        arity: 3,
        flags: ['admin'],
        docs: {
          summary: 'List the monitored slaves',
          since: '2.8.0',
          group: 'sentinel',
          complexity: 'O(N) where N is the number of slaves',
          deprecatedSince: '5.0.0',
          replacedBy: '`SENTINEL REPLICAS`',
          arguments: [arg.string('master-name')],
        },
      },
    },
  },
} as const satisfies CommandRows;
