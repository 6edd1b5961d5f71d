export type { LiveSettings } from "./live.ts";
export { openLiveSettings, withLiveLimits } from "./live.ts";
export {
  addVersion,
  changesBetween,
  firstBreak,
  listVersions,
  newestVersion,
  versionBefore,
  versionContent,
} from "./versions.ts";
