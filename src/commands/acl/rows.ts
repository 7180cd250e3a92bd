import { arg, type CommandRows } from '../row.js';

export const rows = {
  acl: {
    arity: -2,
    docs: {
      summary: 'A container for Access List Control commands ',
      since: '6.0.0',
      group: 'server',
      complexity: 'Depends on subcommand.',
    },
    subcommands: {
      cat: {
        arity: -2,
        flags: ['noscript', 'loading', 'stale'],
        docs: {
          summary: 'List the ACL categories or the commands inside a category',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(1) since the categories and commands are a fixed set.',
          arguments: [arg.string('categoryname', { optional: true })],
        },
      },
      deluser: {
        arity: -3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Remove the specified ACL users and the associated rules',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(1) amortized time considering the typical user.',
          arguments: [arg.string('username', { multiple: true })],
        },
      },
      dryrun: {
        arity: -4,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Returns whether the user can execute the given command without executing the command.',
          since: '7.0.0',
          group: 'server',
          complexity: 'O(1).',
          arguments: [
            arg.string('username'),
            arg.string('command'),
            arg.string('arg', { optional: true, multiple: true }),
          ],
        },
      },
      genpass: {
        arity: -2,
        flags: ['noscript', 'loading', 'stale'],
        docs: {
          summary: 'Generate a pseudorandom secure password to use for ACL users',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(1)',
          arguments: [arg.integer('bits', { optional: true })],
        },
      },
      getuser: {
        arity: 3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Get the rules for a specific ACL user',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(N). Where N is the number of password, command and pattern rules that the user has.',
          history: [
            ['6.2.0', 'Added Pub/Sub channel patterns.'],
            [
              '7.0.0',
              'Added selectors and changed the format of key and channel patterns from a list to their rule representation.',
            ],
          ],
          arguments: [arg.string('username')],
        },
      },
      help: {
        arity: 2,
        flags: ['loading', 'stale'],
        docs: {
          summary: 'Show helpful text about the different subcommands',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
      list: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'List the current ACL rules in ACL config file format',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(N). Where N is the number of configured users.',
        },
      },
      load: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Reload the ACLs from the configured ACL file',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(N). Where N is the number of configured users.',
        },
      },
      log: {
        arity: -2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'List latest events denied because of ACLs in place',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(N) with N being the number of entries shown.',
          arguments: [arg.oneof('operation', [arg.integer('count'), arg.token('reset')], { optional: true })],
        },
      },
      save: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Save the current ACL rules in the configured ACL file',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(N). Where N is the number of configured users.',
        },
      },
      setuser: {
        arity: -3,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'Modify or create the rules for a specific ACL user',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(N). Where N is the number of rules provided.',
          history: [
            ['6.2.0', 'Added Pub/Sub channel patterns.'],
            ['7.0.0', 'Added selectors and key based permissions.'],
          ],
          arguments: [arg.string('username'), arg.string('rule', { optional: true, multiple: true })],
        },
      },
      users: {
        arity: 2,
        flags: ['admin', 'noscript', 'loading', 'stale'],
        docs: {
          summary: 'List the username of all the configured ACL rules',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(N). Where N is the number of configured users.',
        },
      },
      whoami: {
        arity: 2,
        flags: ['noscript', 'loading', 'stale'],
        docs: {
          summary: 'Return the name of the user associated to the current connection',
          since: '6.0.0',
          group: 'server',
          complexity: 'O(1)',
        },
      },
    },
  },
} satisfies CommandRows;
