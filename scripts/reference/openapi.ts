import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { createService } from '../../src/main.ts';

/** The API document of a service with default settings; the routes are in the order in which they are registered. */
export async function openApiDocument(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'opentill-generate-'));
  try {
    const service = await createService(
      readConfig({ DATABASE_URL: `sqlite:${join(directory, 'empty.db')}`, LOG_LEVEL: 'silent' }),
    );
    await service.app.ready();
    const document = service.app.swagger();
    await service.stop();
    return `${JSON.stringify(document, null, 2)}\n`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
