/**
 * The code that the guide has for receivers, run as it stands there. Each language gets the code blocks of the page as
 * files, and a program beside them that hands them deliveries and prints what they say: for each the id of the event,
 * or that it was refused.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

export const GUIDE = 'docs/guides/receiving-webhooks.md';
export const REFUSED = 'refused';

export type Delivery = {
  readonly scheme: 'standard' | 'older';
  readonly body: Buffer;
  /** Names in lower case, as Node.js has them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: string;
};

/** The code blocks of a page in a language, in their order. */
export function codeBlocks(page: string, language: string): string[] {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm);
  return [...blocks].filter(([, name]) => name === language).map(([, , code]) => code ?? '');
}

type Receiver = {
  readonly name: string;
  /** The language's name on the fences of the page. */
  readonly language: string;
  /** The number of the language's blocks on the page. */
  readonly blocks: number;
  /** The files that blocks go to, by the block's place on the page. */
  readonly files: Readonly<Record<string, number>>;
  /** The program: its file and its code. It reads deliveries.json and prints a JSON array. */
  readonly program: readonly [file: string, code: string];
  readonly command: string;
  /** Options with which the command succeeds where the language is new enough for the page. */
  readonly probe: readonly string[];
  readonly options: readonly string[];
};

const NODE_PROGRAM = `
import { readFileSync } from 'node:fs';
import { verify } from './verify.mjs';
import { verifyOlder } from './older.mjs';
const said = JSON.parse(readFileSync('deliveries.json', 'utf8')).map(({ scheme, body, headers, secret }) => {
  try {
    return (scheme === 'older' ? verifyOlder : verify)(Buffer.from(body, 'base64'), headers, secret).id;
  } catch {
    return '${REFUSED}';
  }
});
console.log(JSON.stringify(said));
`;

const PYTHON_PROGRAM = `
import base64, json
from verify import verify
from older import verify_older
said = []
for each in json.load(open("deliveries.json", encoding="utf-8")):
    check = verify_older if each["scheme"] == "older" else verify
    try:
        said.append(check(base64.b64decode(each["body"]), each["headers"], each["secret"])["id"])
    except ValueError:
        said.append("${REFUSED}")
print(json.dumps(said))
`;

const PHP_PROGRAM = `<?php
require 'verify.php';
require 'older.php';
$said = [];
foreach (json_decode(file_get_contents('deliveries.json'), true) as $each) {
    $server = [];
    foreach ($each['headers'] as $name => $value) {
        $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
    }
    $check = $each['scheme'] === 'older' ? 'verifyOlderWebhook' : 'verifyWebhook';
    try {
        $said[] = $check(base64_decode($each['body']), $server, $each['secret'])['id'];
    } catch (RuntimeException | JsonException $refusal) {
        $said[] = '${REFUSED}';
    }
}
echo json_encode($said);
`;

const GO_PROGRAM = `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var deliveries []struct {
		Scheme, Secret string
		Body           []byte
		Headers        map[string]string
	}
	file, _ := os.ReadFile("deliveries.json")
	if err := json.Unmarshal(file, &deliveries); err != nil {
		panic(err)
	}
	said := []string{}
	for _, each := range deliveries {
		header := http.Header{}
		for name, value := range each.Headers {
			header.Set(name, value)
		}
		check := Verify
		if each.Scheme == "older" {
			check = VerifyOlder
		}
		event, err := check(each.Body, header, each.Secret)
		if err != nil {
			event.ID = "${REFUSED}"
		}
		said = append(said, event.ID)
	}
	json.NewEncoder(os.Stdout).Encode(said)
}
`;

const RUBY_PROGRAM = `
require "json"
require_relative "verify"
require_relative "older"
said = JSON.parse(File.read("deliveries.json", encoding: "UTF-8")).map do |each|
  env = each["headers"].to_h { |name, value| ["HTTP_" + name.upcase.tr("-", "_"), value.b] }
  check = each["scheme"] == "older" ? :verify_older_webhook : :verify_webhook
  begin
    send(check, each["body"].unpack1("m"), env, each["secret"])["id"]
  rescue RuntimeError, JSON::ParserError
    "${REFUSED}"
  end
end
puts JSON.generate(said)
`;

const receivers: readonly Receiver[] = [
  {
    name: 'Node.js with the library',
    language: 'js',
    blocks: 4,
    files: { 'verify.mjs': 0, 'older.mjs': 3 },
    program: ['program.mjs', NODE_PROGRAM],
    command: process.execPath,
    probe: ['--version'],
    options: ['program.mjs'],
  },
  {
    name: 'Node.js',
    language: 'js',
    blocks: 4,
    files: { 'verify.mjs': 1, 'older.mjs': 3 },
    program: ['program.mjs', NODE_PROGRAM],
    command: process.execPath,
    probe: ['--version'],
    options: ['program.mjs'],
  },
  {
    name: 'Python',
    language: 'python',
    blocks: 2,
    files: { 'verify.py': 0, 'older.py': 1 },
    program: ['program.py', PYTHON_PROGRAM],
    command: 'python3',
    probe: ['-c', 'str.removeprefix'],
    options: ['program.py'],
  },
  {
    name: 'PHP',
    language: 'php',
    blocks: 2,
    files: { 'verify.php': 0, 'older.php': 1 },
    program: ['program.php', PHP_PROGRAM],
    command: 'php',
    probe: ['-r', 'exit(PHP_VERSION_ID >= 70300 ? 0 : 1);'],
    // A warning is a failure too.
    options: ['-d', 'error_reporting=E_ALL', '-d', 'display_errors=stderr', 'program.php'],
  },
  {
    name: 'Go',
    language: 'go',
    blocks: 2,
    files: { 'verify.go': 0, 'older.go': 1 },
    program: ['program.go', GO_PROGRAM],
    command: 'go',
    probe: ['version'],
    options: ['run', 'verify.go', 'older.go', 'program.go'],
  },
  {
    name: 'Ruby',
    language: 'ruby',
    blocks: 2,
    files: { 'verify.rb': 0, 'older.rb': 1 },
    program: ['program.rb', RUBY_PROGRAM],
    command: 'ruby',
    probe: ['-ropenssl', '-e', 'OpenSSL.method(:secure_compare)'],
    options: ['-w', 'program.rb'],
  },
];

/** The receivers whose language this machine has. Node.js is always among them. */
export function receiversHere(): readonly Receiver[] {
  return receivers.filter(({ command, probe }) => {
    try {
      execFileSync(command, probe, { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * The receiver's answer to each delivery: the id of the event, or `REFUSED`. Fails if it writes to stderr.
 */
export async function saidBy(receiver: Receiver, deliveries: readonly Delivery[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'opentill-receiver-'));
  try {
    const blocks = codeBlocks(GUIDE, receiver.language);
    if (blocks.length !== receiver.blocks) throw new Error(`${GUIDE} has ${blocks.length} blocks of it`);
    for (const [file, index] of Object.entries(receiver.files)) {
      writeFileSync(join(folder, file), blocks[index] ?? '');
    }
    writeFileSync(join(folder, receiver.program[0]), receiver.program[1]);
    const asText = deliveries.map((each) => ({ ...each, body: each.body.toString('base64') }));
    writeFileSync(join(folder, 'deliveries.json'), JSON.stringify(asText));
    // The link makes the library available, as in the project of somebody who has installed it.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const { stdout, stderr } = await run(receiver.command, [...receiver.options], { cwd: folder });
    if (stderr !== '') throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
