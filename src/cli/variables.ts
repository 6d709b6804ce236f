/** Environment variables that commands read: the settings, and two for those who talk to a server. */
import { settings } from '../config/settings.ts';
import type { AccessKind } from './declare/command.ts';

const meanings: Readonly<Partial<Record<AccessKind, Readonly<Record<string, string>>>>> = {
  /** A machine that runs the server has settings of it, which tell its clients where it is. */
  api: {
    OPENTILL_URL: 'Address of the server.',
    PUBLIC_URL: 'Setting of the server, read if `OPENTILL_URL` is not set.',
    PORT: 'Setting of the server, read if there is no address.',
    OPENTILL_API_KEY:
      'API key and secret. Better than `--key`: all users of a machine see its command lines.',
    BOOTSTRAP_API_KEY: 'Setting of the server, read if `OPENTILL_API_KEY` is not set.',
  },
  either: { OPENTILL_API_KEY: 'For `--url`: an API key and its secret, `ak_…:sk_…`.' },
};

/** Description in one paragraph, with code in backticks. */
export function meaningOfVariable(name: string, access: AccessKind): string {
  const setting = Object.entries(settings).find(([each]) => each === name)?.[1];
  const meaning = meanings[access]?.[name] ?? setting?.meaning;
  if (meaning === undefined) throw new Error(`no setting or variable is called ${name}`);
  return meaning;
}
