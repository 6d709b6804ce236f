/** A real Chromium for tests of pages; the package brings the program, nothing is installed. */
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packed from '@sparticuz/chromium';
import { type Browser, chromium, type Download, type LaunchOptions, type Page } from 'playwright-core';
import { quickestDirectory } from './memory.ts';

const UNPACKING = join(tmpdir(), 'opentill-chromium-unpacking');
/** Age after which a begun unpacking counts as abandoned. */
const ABANDONED_MS = 60_000;

/** The address of the run's browser; a file that is run by itself starts one of its own. */
const ENDPOINT = 'OPENTILL_TEST_BROWSER';

/**
 * Tests run as root in containers, where the sandbox of Chromium cannot. A screen is open for a moment, in which its scripts
 * do not run often enough for compiling them a second time, into quicker code, to pay.
 */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--js-flags=--no-maglev --no-opt',
];

/** A browser for one test file. It shares nothing with others but, in a whole run, the process. */
export async function launchBrowser(): Promise<Browser> {
  const endpoint = process.env[ENDPOINT];
  if (endpoint !== undefined) return chromium.connect(endpoint);
  return chromium.launch(await program());
}

/** Starts the browser of a whole run; the environment by which its test files find it. */
export async function startSharedBrowser() {
  const server = await chromium.launchServer(await program());
  return { environment: { [ENDPOINT]: server.wsEndpoint() }, close: () => server.close() };
}

async function program(): Promise<LaunchOptions> {
  const executablePath = await unpacked();
  // The driver has its processes share files on the disk, as little memory is shared in some containers.
  const hasMemory = (await quickestDirectory()) !== tmpdir();
  return { executablePath, args: ARGS, ignoreDefaultArgs: hasMemory ? ['--disable-dev-shm-usage'] : [] };
}

/** Gives the page an authenticator of its own, which verifies its user, or does not. */
export async function addAuthenticator(page: Page, { isUserVerified = true } = {}): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
}

/** The text of a file that a page has given; the browser may be that of a whole run, which is asked from afar. */
export async function textOfDownload(download: Download): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'opentill-download-'));
  try {
    const path = join(folder, 'file');
    await download.saveAs(path);
    return await readFile(path, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The program is unpacked by its first use; test files run in parallel, and only one of them may do it. */
async function unpacked(): Promise<string> {
  for (;;) {
    try {
      await mkdir(UNPACKING);
      break;
    } catch {
      const since = await stat(UNPACKING).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      );
      if (Date.now() - since > ABANDONED_MS) await rm(UNPACKING, { recursive: true, force: true });
      await delay(100);
    }
  }
  try {
    return await packed.executablePath();
  } finally {
    await rm(UNPACKING, { recursive: true, force: true });
  }
}
