/** Settings: each by itself and together, and what looks like a misspelled one. */
import { BadSetting, readConfig, readSetting, variableNames } from '../../config/read.ts';
import { type Config, settings } from '../../config/settings.ts';
import { advised, type Finding, good, wrong } from '../../lib/finding.ts';
import { keysOf } from '../../lib/keys.ts';
import { nearest } from '../nearest.ts';

/** The settings that can be read. */
export type Values = Partial<Config>;

const SEE_HELP = 'opentill serve --help has all settings.';

export function examineSettings(env: NodeJS.ProcessEnv): {
  readonly values: Values;
  readonly findings: readonly Finding[];
} {
  const mistakes: string[] = [];
  /** Undefined where it is wrong: whatever needs it is left out then. */
  function attempt<T>(read: () => T, follows = false): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      if (!follows || mistakes.length === 0) mistakes.push(error.message);
      return undefined;
    }
  }
  /** A default that follows from other settings repeats their mistakes. */
  const isFollowing = (name: keyof Config) =>
    typeof settings[name].default === 'function' && !env[name]?.trim();
  const names = keysOf(settings);
  const values: Values = Object.fromEntries(
    names
      .map((name) => [name, attempt(() => readSetting(name, env), isFollowing(name))])
      .filter(([, value]) => value !== undefined),
  );
  // Settings that do not go together are found only where each can be read.
  if (mistakes.length === 0) attempt(() => readConfig(env));
  const findings = [
    ...(mistakes.length === 0 ? [good('All settings can be read.')] : []),
    ...mistakes.map((mistake) => wrong(`${mistake}.`, `The service does not start with it. ${SEE_HELP}`)),
    ...misspelled(env),
    ...forDevelopment(values),
  ];
  return { values, findings };
}

/** A key that is in the settings is known to everybody who sees them. */
function forDevelopment({ BOOTSTRAP_API_KEY: key, PUBLIC_URL = '' }: Values): readonly Finding[] {
  return key && PUBLIC_URL.startsWith('https:')
    ? [advised('BOOTSTRAP_API_KEY is for development.', 'Remove it; opentill keys create creates a key.')]
    : [];
}

/** Variables whose names are almost those of settings: they have no effect, and nobody would say so. */
function misspelled(env: NodeJS.ProcessEnv): readonly Finding[] {
  const known = [...variableNames, 'OPENTILL_API_KEY', 'OPENTILL_URL'];
  return Object.keys(env)
    .filter((name) => name.includes('_') && !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known);
      // Names of other programs may be as short, and begin otherwise.
      return meant === null || meant.slice(0, 3) !== name.slice(0, 3)
        ? []
        : [advised(`There is no setting ${name}; it has no effect.`, `Did you mean ${meant}? ${SEE_HELP}`)];
    });
}
