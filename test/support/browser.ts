/** A real Chromium for tests of pages; the package brings the program, nothing is installed. */
import executable from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await executable.executablePath(),
    // Tests run as root in containers, where the sandbox of Chromium cannot.
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    headless: true,
  });
}
