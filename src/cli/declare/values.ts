/** Kinds of values that several commands take. Each `parse` throws the rest of the sentence "--limit …". */

import { API_KEY_NAME_LENGTH, allPermissions, type Permission } from '../../accounts/api-key.ts';
import { currencyExponent } from '../../checkout/money.ts';
import { baseUrl, type DatabaseUrl, databaseUrl } from '../../config/values.ts';
import { eventSelectors } from '../../events/types.ts';
import { accountNameProblem } from '../../lib/account-name.ts';
import { emailProblem, lineProblem } from '../../lib/formats.ts';
import { EMAIL_LENGTH, USER_NAME_LENGTH } from '../../users/user.ts';
import { parseMoment, parseSpan } from '../moment.ts';
import { printable } from '../printable.ts';
import type { Value } from './parameter.ts';

/** Any text, `""` included. */
export function text(placeholder: string): Value<string> {
  return { placeholder, parse: (typed) => typed };
}

/** The name of a file. */
export function file(placeholder = 'file'): Value<string> {
  return { placeholder, parse: notEmpty('the name of a file'), isFile: true };
}

export function nonEmpty(placeholder: string, what: string): Value<string> {
  return { placeholder, parse: notEmpty(what) };
}

export function choice<const T extends string>(placeholder: string, ...choices: readonly T[]): Value<T> {
  return {
    placeholder,
    choices,
    parse: (typed) => {
      const chosen = choices.find((each) => each === typed);
      return chosen ?? refuse(`takes one of ${choices.join(', ')}`, typed);
    },
  };
}

export function wholeNumber(min: number, max: number): Value<number> {
  return {
    placeholder: 'number',
    parse: (typed) => {
      const number = Number(typed);
      const isGood = /^\d+$/.test(typed) && number >= min && number <= max;
      return isGood ? number : refuse(`takes a whole number from ${min} to ${max}`, typed);
    },
  };
}

export const accountNumber: Value<number> = {
  placeholder: 'number',
  parse: (typed) =>
    /^[1-9]\d{0,14}$/.test(typed)
      ? Number(typed)
      : refuse('takes the number of an account, such as 1', typed),
};

export const accountName: Value<string> = {
  placeholder: 'name',
  parse: (typed) => {
    const problem = accountNameProblem(typed);
    if (problem === null) return typed;
    throw new Error(`takes a name, which ${problem}`);
  },
};

export const keyName: Value<string> = {
  placeholder: 'text',
  parse: (typed) => {
    if (typed.length <= API_KEY_NAME_LENGTH) return typed;
    throw new Error(`takes a name of up to ${API_KEY_NAME_LENGTH} characters`);
  },
};

export const userName: Value<string> = {
  placeholder: 'text',
  parse: (typed) => {
    if (typed.length <= USER_NAME_LENGTH && lineProblem(typed) === null) return typed;
    throw new Error(`takes a name of up to ${USER_NAME_LENGTH} characters, in one line`);
  },
};

/** Empty for none. */
export const emailAddress: Value<string> = {
  placeholder: 'address',
  parse: (typed) =>
    typed === '' || (typed.length <= EMAIL_LENGTH && emailProblem(typed) === null)
      ? typed
      : refuse('takes an e-mail address', typed),
};

/** `idOf('whe', 'a webhook endpoint')`: whether there is such a thing only the service knows. */
export function idOf(prefix: string, what: string): Value<string> {
  return {
    placeholder: `${prefix}_…`,
    parse: (typed) =>
      typed.startsWith(`${prefix}_`) ? typed : refuse(`takes the id of ${what}, ${prefix}_…`, typed),
  };
}

/** The code of a currency, in any case. */
export const currency: Value<string> = {
  placeholder: 'currency',
  parse: (typed) =>
    currencyExponent(typed.toUpperCase()) === undefined
      ? refuse('takes the ISO 4217 code of a currency, such as EUR', typed)
      : typed.toUpperCase(),
};

/** Milliseconds since the epoch. */
export const moment: Value<number> = {
  placeholder: 'when',
  parse: (typed) => parseMoment(typed, Date.now()),
};

/** Seconds. */
export const span: Value<number> = { placeholder: 'time', parse: parseSpan };

export const date: Value<string> = {
  placeholder: 'date',
  parse: (typed) =>
    /^\d{4}-\d\d-\d\d$/.test(typed) ? typed : refuse('takes a date such as 2030-01-31', typed),
};

/** Types, `checkout.*` for all of a kind, `*` for all; separated by commas. */
export const selectors: Value<readonly string[]> = {
  placeholder: 'types',
  isList: true,
  choices: eventSelectors,
  parse: (typed) => listed(typed, eventSelectors, 'takes event types, separated by commas'),
};

export const permissions: Value<readonly Permission[]> = {
  placeholder: 'list',
  isList: true,
  choices: allPermissions,
  parse: (typed) => listed(typed, allPermissions, 'takes permissions, separated by commas'),
};

/** The scheme and host of an address, such as `https://shop.example`. */
export function originOf(typed: string): string | null {
  const url = URL.parse(typed);
  return url && /^https?:$/.test(url.protocol) ? url.origin : null;
}

/** An endpoint by its id, or the origin of an address that sessions name. */
export const receiver: Value<string> = {
  placeholder: 'whe_… or origin',
  parse: (typed) =>
    /^whe_[0-9a-z]{26}$/.test(typed)
      ? typed
      : (originOf(typed) ??
        refuse(
          'takes the id of a webhook endpoint, whe_…, or an origin such as https://shop.example',
          typed,
        )),
};

export const serverAddress: Value<string> = { placeholder: 'address', parse: baseUrl };

export const database: Value<DatabaseUrl> = {
  placeholder: 'url',
  parse: (typed) => databaseUrl(typed.trim()),
};

export type ApiKey = { readonly key: string; readonly mode: 'test' | 'live' };

export const apiKey: Value<ApiKey> = {
  placeholder: 'ak_…:sk_…',
  parse: (typed) => {
    const mode = /^ak_(test|live)_[\w-]{1,100}:sk_\1_[\w-]{1,100}$/.exec(typed)?.[1];
    // The value is a secret: the message must not repeat it.
    if (mode !== 'test' && mode !== 'live') throw new Error('must be a key and its secret, ak_…:sk_…');
    return { key: typed, mode };
  },
};

function listed<T extends string>(typed: string, all: readonly T[], what: string): readonly T[] {
  const words = typed
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const known = words.flatMap((each) => all.filter((one) => one === each));
  const unknown = words.filter((each) => !all.some((one) => one === each));
  if (words.length > 0 && unknown.length === 0) return known;
  return refuse(`${what}: ${all.join(', ')}`, unknown.join(', '));
}

function notEmpty(what: string) {
  return (typed: string): string => {
    if (typed !== '') return typed;
    throw new Error(`takes ${what}, which cannot be empty`);
  };
}

function refuse(expected: string, typed: string): never {
  throw new Error(`${expected}, not "${printable(typed)}"`);
}
