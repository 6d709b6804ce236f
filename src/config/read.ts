/** Reads settings from variables of the environment, and from the files that such variables name. */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { messageOf, systemFieldsOf } from '../lib/error-message.ts';
import { keysOf } from '../lib/keys.ts';
import { eventsOutliveDeliveries } from './retention-days.ts';
import { type Config, type Setting, settings } from './settings.ts';

/** A wrong setting, in one line for the operator. */
export class BadSetting extends Error {
  override name = 'BadSetting';
}

/** Reads all settings; throws BadSetting with the name and what is wrong. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const names = keysOf(settings);
  const config = Object.fromEntries(names.map((name) => [name, readSetting(name, env)])) as Config;
  const { EVENT_RETENTION_DAYS: eventDays, WEBHOOK_LOG_DAYS: deliveryDays } = config;
  if (!eventsOutliveDeliveries({ deliveryDays, eventDays })) {
    throw new BadSetting(
      `EVENT_RETENTION_DAYS must be 0 or more than WEBHOOK_LOG_DAYS (${deliveryDays}), not "${eventDays}"`,
    );
  }
  const { OPERATIONS_PORT: port, OPERATIONS_HOST: host } = config;
  if (port !== null && port === config.PORT && host === config.HOST) {
    throw new BadSetting(`OPERATIONS_PORT must differ from PORT, which is ${port} too`);
  }
  if (config.CREDENTIALS_KEY === null && config.CREDENTIALS_KEY_PREVIOUS !== null)
    throw new BadSetting('CREDENTIALS_KEY must be set, because CREDENTIALS_KEY_PREVIOUS is');
  // Without provider events a payment would be seen minutes later, and without a key there is nothing to be noticed.
  for (const name of ['STRIPE_TEST', 'STRIPE_LIVE'] as const) {
    const [key, secret] = [`${name}_SECRET_KEY`, `${name}_WEBHOOK_SECRET`] as const;
    if (config[key] === '' && config[secret] !== '')
      throw new BadSetting(`${key} must be set, because ${secret} is`);
    if (config[key] !== '' && config[secret] === '')
      throw new BadSetting(`${secret} must be set, because ${key} is`);
  }
  const ofOidc = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  const given = ofOidc.find((name) => config[name] !== '');
  const missing = ofOidc.find((name) => config[name] === '');
  if (given !== undefined && missing !== undefined)
    throw new BadSetting(`${missing} must be set, because ${given} is`);
  return config;
}

/** Reads one setting, for a command that needs no others. */
export function readSetting<K extends keyof Config>(name: K, env: NodeJS.ProcessEnv): Config[K] {
  const row: Setting<unknown> = settings[name];
  const text = variableText(name, env);
  const fallback = typeof row.default === 'function' ? row.default(env) : row.default;
  try {
    return row.parse(text || fallback) as Config[K];
  } catch (error) {
    throw new BadSetting(`${name} ${messageOf(error)}`);
  }
}

/** Names of variables that may be in files: secret settings, and the key of commands that talk to a server. */
export const secretNames: readonly string[] = [
  ...Object.entries(settings).flatMap(([name, row]: [string, Setting<unknown>]) =>
    row.isSecret ? [name] : [],
  ),
  'OPENTILL_API_KEY',
];

/** Names of all variables that the service reads: settings, and files of secret ones. */
export const variableNames: readonly string[] = [
  ...Object.keys(settings),
  ...secretNames.map((name) => `${name}_FILE`),
];

/**
 * The text of a variable, empty if it is absent. That of a secret one may be in the file that `<NAME>_FILE` names:
 * other programs of the user can see variables of the environment, and what starts a service may keep them.
 */
export function variableText(name: string, env: NodeJS.ProcessEnv): string {
  const text = env[name]?.trim() ?? '';
  const file = secretNames.includes(name) ? (env[`${name}_FILE`]?.trim() ?? '') : '';
  if (file === '') return text;
  if (text !== '') throw new BadSetting(`${name} and ${name}_FILE are both set; set only one of them`);
  // A text in place of a path may be the secret itself.
  const named = isAbsolute(file) ? file : 'a file';
  let content: string;
  try {
    content = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new BadSetting(`${name}_FILE names ${named}, which cannot be read: ${systemFieldsOf(error).code}`);
  }
  if (content === '') throw new BadSetting(`${name}_FILE names ${named}, which is empty`);
  return content;
}
