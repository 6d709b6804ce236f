/**
 * The compile cache of a clone: its code without types, compiled once and kept between starts. That halves the time of a
 * start and saves 35 MB, nearly all of it for the compiler of types; a package has none and would gain little.
 *
 * Node.js runs what it finds in the cache, and only a checksum ties it to the source: who may write there decides what
 * the service does. So it is not below the folder for temporary files, where Node.js would put it and everybody may
 * write, but in the cache of the user, and only if nobody else may write there. Without such a place a start takes longer.
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

export function keepCompiledCode() {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME = '' } = process.env;
  // Node.js itself follows both. On Windows it cannot say who may write to a folder.
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE || !process.getuid) return;
  try {
    const cache = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache');
    const folder = join(cache, 'opentill');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const real = realpathSync(folder);
    if (!isOurs(real, process.getuid())) return;
    module.enableCompileCache(real);
    // Threads read this variable; without it they would compile everything again.
    process.env.NODE_COMPILE_CACHE = real;
  } catch {
    // The service starts without a cache if there is no home, or if the file system is read-only or full.
  }
}

/** True for a folder of this user that nobody but root could change or put another one in the place of. */
function isOurs(folder, user) {
  if (lstatSync(folder).uid !== user) return false;
  for (let place = folder; ; place = dirname(place)) {
    const { uid, mode } = lstatSync(place);
    // Others may add files to a sticky folder, but not rename them.
    const isOpen = (mode & WRITABLE_BY_OTHERS) !== 0 && (place === folder || (mode & STICKY) === 0);
    if (isOpen || (uid !== user && uid !== 0)) return false;
    if (place === dirname(place)) return true;
  }
}
