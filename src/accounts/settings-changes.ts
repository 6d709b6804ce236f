/** Rules of changing the settings of an account and mode by a merge patch. Pure. */
import { mergePatch } from '../checkout/metadata.ts';
import { type Refusal, refuseFields } from '../checkout/refusals.ts';
import type { JsonObject } from '../checkout/session.ts';
import type { AccountSettings } from './settings.ts';
import { readSettings, type SettingsParts, serializeSettings } from './settings-json.ts';

export type SettingsCommand = {
  readonly type: 'change_settings';
  /** Parts and their fields, by their names in JSON (RFC 7396): null restores the default of a field or of a whole part. */
  readonly patch: JsonObject;
  /** Name of the account, which is of both modes. */
  readonly name?: string;
};

/** The parts that the patch names, as they are afterwards. */
export function changedSettings(settings: AccountSettings, patch: JsonObject): SettingsParts | Refusal {
  const after = mergePatch(serializeSettings(settings), patch);
  // For a part without fields there is null: a part that is missing would stay as it is.
  const named = Object.keys(patch).map((name) => [name, after[name] ?? null]);
  const read = readSettings(Object.fromEntries(named));
  return 'problems' in read ? refuseFields(read.problems) : read.settings;
}
