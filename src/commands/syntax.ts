import type { Argument } from './argument.js';
import type { Command } from './table.js';

/** The arguments of a command in Redis's notation: `key value [NX|XX] [GET]`. */
export function syntaxOf(command: Command): string {
  return (command.spec.docs.arguments ?? []).map(written).join(' ');
}

/** One argument, with brackets if it is optional and repeated if there may be several. */
function written(argument: Argument): string {
  const { multiple = false, multipleToken = false, optional = false, token, type } = argument;
  const body = bodyOf(argument);
  const isPure = type === 'pure-token';
  const prefix = isPure || token === undefined ? '' : `${token === '' ? '""' : token} `;
  let text = prefix + body;
  if (multiple) text += ` [${multipleToken ? prefix : ''}${body} ...]`;
  return optional ? `[${text}]` : text;
}

function bodyOf(argument: Argument): string {
  const { type, name, token, parts = [] } = argument;
  switch (type) {
    case 'pure-token':
      return token === '' ? '""' : (token ?? name);
    case 'oneof':
      return parts.map(written).join('|');
    case 'block':
      return parts.map(written).join(' ');
    default:
      return name;
  }
}
