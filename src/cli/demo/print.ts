/** The voice of the demo: a heading for each step, the request as one would type it, and what matters of the answer. */
import { styleText } from 'node:util';

type Fields = Readonly<Record<string, unknown>>;

let steps = 0;

export function heading(text: string): void {
  console.log(`\n${styleText('bold', `${++steps}. ${text}`)}\n`);
}

export function line(text: string): void {
  console.log(`   ${text}`);
}

/** A sentence about what was just shown. */
export function remark(text: string): void {
  console.log();
  line(text);
}

/** The request as a command for the shell; the key is in `$KEY`. */
export function request(method: string, url: string, body: unknown): void {
  const lines = [`curl -u "$KEY" ${method === 'GET' ? '' : `-X ${method} `}${url}`];
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`);
  }
  console.log(styleText('dim', `   ${lines.join(' \\\n     ')}`));
}

/** The result code, and of the data those fields that the step is about. */
export function answer(status: number, message: string, data: Fields, names: readonly string[]): void {
  console.log(`\n   ${styleText('green', `${status} ${message}`)}`);
  fields(Object.fromEntries(names.map((name) => [name, data[name]])));
}

export function fields(shown: Fields): void {
  const width = Math.max(...Object.keys(shown).map((name) => name.length)) + 2;
  for (const [name, value] of Object.entries(shown)) {
    console.log(`   ${name.padEnd(width)}${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }
}
