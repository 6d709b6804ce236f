/**
 * `npm run demo:bank`: payments by bank transfer from beginning to end, on a server of its own with a database that is
 * thrown away. A bank of the demo writes the statements; everything else goes over HTTP, and each step checks what came
 * back. It runs from a clone: what reads the codes of pages is a tool for development, and no part of the service.
 */
import { onStage } from '../src/cli/demo/stage.ts';
import type { Decode } from './demo-bank/code.ts';
import { tellStory } from './demo-bank/story.ts';

const decode = await decoder();
if (decode === null) {
  console.error(
    'opentill: this demo reads payment codes with zxing-wasm, which is not installed: it is a tool for development. npm ci without --omit=dev installs it.',
  );
  process.exitCode = 1;
} else {
  await onStage((stage) => tellStory(stage, decode));
}

async function decoder(): Promise<Decode | null> {
  try {
    return (await import('../test/support/read-code.ts')).readCode;
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return null;
  }
}
