/**
 * The documents that people write, and their fenced blocks. An info string says what a block is: a language, and for a
 * shell block perhaps one of three words. Everything else is a mistake, so that no block escapes the test unnoticed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/**
 * - `run`: runs in the shell of the page, and every command in it succeeds.
 * - `fails`: the same, but a command in it ends with another status than 0.
 * - `keeps-running`: runs in a shell of its own until the page ends.
 * - `no-run`: needs something that no test has, such as a server of somebody else.
 */
export type ShellUse = 'run' | 'fails' | 'keeps-running' | 'no-run';
export type Block = {
  readonly language: string;
  readonly use: ShellUse | null;
  readonly code: string;
  /** The block's position, for messages: `docs/start.md:12`. */
  readonly place: string;
};
export type Page = { readonly path: string; readonly text: string; readonly blocks: readonly Block[] };

const SHELL = 'sh';
const shellUses: readonly ShellUse[] = ['fails', 'keeps-running', 'no-run'];
/** Code that goes into a file, by the comment that names the file in its first line. */
export const codeLanguages = ['js', 'python', 'php', 'go', 'ruby'];
/**
 * Languages of blocks beside shell and code: printed output, answers, and parts of other programs' settings.
 */
const otherLanguages = ['text', 'json', 'sql', 'ini', 'caddyfile'];

/** README, the start and every page below docs/ that is written by hand for those who use the service. */
export function pagePaths(): string[] {
  const folders = ['docs/guides', 'docs/explanation', 'docs/reference'];
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  return ['README.md', 'docs/start.md', ...found.sort()].filter(
    (path) => !readFileSync(join(root, path), 'utf8').startsWith('<!-- Generated from'),
  );
}

export function readPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, blocks: blocksOf(text, path) };
}

/** The fenced blocks of a text, in order. Blocks may be indented, as in lists. */
export function blocksOf(text: string, path: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const [, indent = '', info] = /^( *)```(.*)$/.exec(lines[index] ?? '') ?? [];
    if (info === undefined) continue;
    const place = `${path}:${index + 1}`;
    const end = lines.findIndex((line, at) => at > index && line.trim() === '```');
    if (end === -1) throw new Error(`${place} is not closed`);
    const code = lines.slice(index + 1, end).map((line) => line.replace(indent, ''));
    blocks.push({ ...kindOf(info.trim(), place), code: `${code.join('\n')}\n`, place });
    index = end;
  }
  return blocks;
}

function kindOf(info: string, place: string): Pick<Block, 'language' | 'use'> {
  const [language = '', use, ...rest] = info.split(' ');
  if (language === SHELL && rest.length === 0) {
    if (use === undefined) return { language, use: 'run' };
    const known = shellUses.find((each) => each === use);
    if (known) return { language, use: known };
  }
  if (use === undefined && [...codeLanguages, ...otherLanguages].includes(language))
    return { language, use: null };
  throw new Error(`${place}: \`\`\`${info} is no kind of block that the test knows`);
}

/** The name that the first line of code gives to its file: `// receiver.mjs`, `# verify.py`. */
export function fileNameOf({ code, place }: Block): string {
  const [, name] =
    /^(?:<\?php\s+)?(?:\/\/|#) ([\w-]+\.\w+)$/m.exec(code.split('\n').slice(0, 3).join('\n')) ?? [];
  if (name === undefined) throw new Error(`${place}: the first line does not name the file`);
  return name;
}
