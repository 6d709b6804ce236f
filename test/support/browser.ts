/** A real Chromium for tests of pages; the package brings the program, nothing is installed. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import packed from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const UNPACKING = join(tmpdir(), 'opentill-chromium-unpacking');
/** Nobody unpacks for this long: whoever began is gone. */
const ABANDONED_MS = 60_000;

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await unpacked(),
    // Tests run as root in containers, where the sandbox of Chromium cannot.
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
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
