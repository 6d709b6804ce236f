/** A mistake of the one who typed the command, in one line. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A word too many may be a setting that somebody believes in: better to say so than to pass over it. */
export function takesNothing(command: string, args: readonly string[]): void {
  if (args.length > 0)
    throw new UsageError(`${command} takes no ${args.join(' ')}; opentill --help says what it takes`);
}

/** What `parseArgs` throws is for the one who typed, in one line as everything else. */
export function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/\s*\n\s*/g, ' '));
  }
}

/** What is to be done, of all that the command can do. */
export function actionOf<T>(command: string, actions: Readonly<Record<string, T>>, name = ''): T {
  if (Object.hasOwn(actions, name)) return actions[name] as T;
  throw new UsageError(`${command} takes one of ${Object.keys(actions).join(', ')}`);
}
