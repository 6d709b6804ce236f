import type { Json, JsonObject } from './session.ts';

/** Bounds of a session's metadata: top-level keys, bytes of its compact JSON, and levels of nesting. */
export const METADATA_KEYS = 50;
export const METADATA_BYTES = 16_384;
export const METADATA_DEPTH = 8;

/** RFC 7396: keys of the patch are set, null removes, objects merge, everything else replaces. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) {
      const old = merged.get(key);
      merged.set(key, mergePatch(isJsonObject(old) ? old : {}, value));
    } else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Problem of this metadata, in a sentence, or null. */
export function metadataProblem(metadata: JsonObject): string | null {
  if (Object.keys(metadata).length > METADATA_KEYS)
    return `must have at most ${METADATA_KEYS} top-level keys`;
  if (depthOf(metadata) > METADATA_DEPTH) return `must be nested at most ${METADATA_DEPTH} levels deep`;
  return bytesProblem(metadata);
}

/** Too much of it, in a sentence, or null. */
export function bytesProblem(metadata: JsonObject): string | null {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return bytes > METADATA_BYTES ? `must have at most ${METADATA_BYTES} bytes of JSON; it has ${bytes}` : null;
}

/** The same of metadata that a patch has led to. */
export const afterMerge = (problem: string): string => `${problem} after the merge`;

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) deepest = Math.max(deepest, depthOf(child as Json));
  return deepest + 1;
}
