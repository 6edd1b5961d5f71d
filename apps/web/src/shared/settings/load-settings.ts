import type { Settings } from "@longarm/contract/settings";
import { defaultSettings, parseSettings } from "@longarm/contract/settings";
import type { Log } from "../log/log.ts";

/** How long the start waits for Settings.json before it goes on with the defaults, ms. */
export const SETTINGS_MS_MAX = 4_000;

/** The operator's settings over the defaults. Never fails: what is wrong is logged, key by key, and the default holds. */
export async function loadSettings(fetchFile: typeof fetch, log: Log): Promise<Settings> {
  try {
    const response = await fetchFile("/Settings.json", {
      cache: "no-cache",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(SETTINGS_MS_MAX),
    });
    if (!response.ok) throw new Error(`Settings.json was answered with ${response.status}`);
    const { settings, problems } = parseSettings(await response.json());
    for (const { key, problem } of problems) log(`Settings.json: "${key}" is not taken, its default holds. ${problem}`);
    return settings;
  } catch (error) {
    log("Settings.json could not be loaded, the defaults hold.", error);
    return defaultSettings();
  }
}
