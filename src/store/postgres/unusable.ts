/** Messages for the operator about a database that cannot be used. */
import { UnusableDatabase } from '../errors.ts';
import { codeOf } from './errors.ts';

/** Name of a database in messages: the hosts and database of its address, without secrets. */
export function nameOf(url: string): string {
  const [name = ''] = url.replace(/^\w+:\/\/([^/]*@)?/, '').split('?');
  return name;
}

/** The error in one line for the operator. */
export function cannotUse(name: string, error: unknown): UnusableDatabase {
  const { cause = error } = error as Error;
  const { message } = cause as Error;
  const reason = (message || codeOf(error)).replaceAll(/\s+/g, ' ');
  return new UnusableDatabase(`cannot use the database ${name}: ${reason}`);
}

export function unfinishedMove(name: string): UnusableDatabase {
  return new UnusableDatabase(`the database ${name} is being moved to; finish that with opentill db move`);
}
