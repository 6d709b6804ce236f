/** The service with a log that is copied, and begun anew, many times a second. */
import { serve } from '../../src/cli/commands/serve.ts';

await serve({ copyLogAtBytes: 200 * 1024 });
