/** The command line `opentill <command>`: finds the command in the table, reads its words and runs it. */

import { BadSetting } from '../config/read.ts';
import { UnusableFile } from '../lib/atomic-file.ts';
import { messageOf } from '../lib/error-message.ts';
import { DamagedRow, StoreUnavailable, UnusableDatabase } from '../store/errors.ts';
import { version } from '../version.ts';
import { exitStatus, Failure, UsageError } from './failure.ts';
import { helpOfCommand, helpOfSections } from './help.ts';
import { findTarget, readWords } from './parse.ts';
import { commandNames, loadCommand, loadSections } from './table.ts';

export async function main(args: readonly string[]): Promise<void> {
  const target = findTarget(args, commandNames);
  const name = target.kind === 'command' || target.kind === 'help' ? target.name : '';
  try {
    if (target.kind === 'mistake') throw new UsageError(target.mistake);
    if (target.kind === 'version') console.log(version);
    else if (target.kind === 'help') console.log(await helpOf(name));
    else await run(name, target.args);
  } catch (error) {
    report(name, error);
  }
}

/** Help for a command, or for all whose names begin so. */
async function helpOf(name: string): Promise<string> {
  const command = await loadCommand(name);
  if (command) return helpOfCommand(name, command);
  return helpOfSections(name, await loadSections(name === '' ? '' : `${name} `));
}

async function run(name: string, args: readonly string[]): Promise<void> {
  const command = await loadCommand(name);
  if (!command) throw new Error(`the table has no command ${name}`);
  const { wantsHelp, ...typed } = readWords(command, args);
  if (wantsHelp) {
    console.log(helpOfCommand(name, command));
    return;
  }
  const read = command.read(typed, process.env);
  if (read.problems !== null) throw new UsageError(...read.problems);
  // Node would end with status 0 in the middle of the work if nothing was left to wait for.
  const unfinished = () => {
    console.error(`opentill: ${name} has ended before it was done`);
    process.exitCode = exitStatus.failure;
  };
  process.once('beforeExit', unfinished);
  try {
    await read.run();
  } finally {
    process.off('beforeExit', unfinished);
  }
}

const expected = [BadSetting, UnusableDatabase, UnusableFile, StoreUnavailable, DamagedRow, Failure];

/** Expected failures are told in words; everything else is a bug, and keeps its stack. */
function report(name: string, error: unknown): void {
  if (error instanceof UsageError) {
    console.error(usageMessage(name, error.mistakes));
    process.exitCode = exitStatus.usage;
    return;
  }
  const isExpected = expected.some((kind) => error instanceof kind);
  const { code, port } = error as { code?: string; port?: number };
  if (!isExpected && code !== 'EADDRINUSE' && code !== 'EADDRNOTAVAIL' && code !== 'EACCES') throw error;
  const taken = String(port) === process.env.OPERATIONS_PORT?.trim() ? 'OPERATIONS_PORT' : 'PORT';
  const advice = code === 'EADDRINUSE' ? `; set ${taken} to another one` : '';
  console.error(`opentill: ${messageOf(error)}${advice}`);
  process.exitCode = error instanceof BadSetting ? exitStatus.usage : exitStatus.failure;
}

/** One mistake is one line, several are a list. */
function usageMessage(name: string, mistakes: readonly string[]): string {
  const help = ['opentill', name, '--help'].filter((each) => each !== '').join(' ');
  const [only = ''] = mistakes;
  if (mistakes.length === 1) return `opentill: ${only}${only.endsWith('?') ? ' See' : '; see'} ${help}`;
  const lines = mistakes.map((mistake) => `\n  ${mistake}`).join('');
  return `opentill: ${name} has ${mistakes.length} mistakes:${lines}\nSee ${help}`;
}
