import manifest from "../../../../package.json" with { type: "json" };

/** Told to a signed-in player as `versions`. */
export const PLATFORM_VERSION: string = manifest.version;
