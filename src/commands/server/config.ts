import type { Call } from '../call.js';
import { pairsOf } from '../config/settings.js';
import { CommandError, errors } from '../errors.js';
import { isLocal } from '../session.js';

export function configGet(call: Call): void {
  const patterns: string[] = [];
  for (let i = 2; i < call.argc; i++) patterns.push(call.text(i));
  const found = call.engine.settings.matching(patterns);
  call.reply.map(found.size);
  for (const [name, text] of found) {
    call.reply.bulkText(name);
    call.reply.bulkText(text);
  }
}

export function configSet(call: Call): void {
  const words: string[] = [];
  for (let i = 2; i < call.argc; i++) words.push(call.text(i));
  const pairs = pairsOf(words);
  const { isLoading, isAsyncLoading } = call.engine;
  if ((isLoading || isAsyncLoading) && pairs.some(([name]) => NOT_WHILE_LOADING.has(name.toLowerCase()))) {
    throw errors.loading;
  }
  const { settings, host } = call.engine;
  settings.set(pairs, isLocal(call.session));
  for (const warning of settings.takeWarnings()) host.log('warning', warning);
  call.reply.ok();
}

/** Settings that loading depends on. */
const NOT_WHILE_LOADING = new Set(['appendonly', 'dir', 'repl-diskless-load']);

export function configResetStat(call: Call): void {
  call.engine.resetStatistics();
  call.reply.ok();
}

export function configRewrite(call: Call): void {
  if (call.engine.settings.file === undefined) {
    throw new CommandError('ERR The server is running without a config file');
  }
  call.engine.host.rewriteSettings();
  call.reply.ok();
}

export const configHelp = [
  'GET <pattern>',
  '    Return parameters matching the glob-like <pattern> and their values.',
  'SET <directive> <value>',
  '    Set the configuration <directive> to <value>.',
  'RESETSTAT',
  '    Reset statistics reported by the INFO command.',
  'REWRITE',
  '    Rewrite the configuration file.',
];
