import * as z from "zod/mini";
import type { SettingField, Settings } from "./settings.ts";
import { mergeDeep, settingFields } from "./settings.ts";

/** How the console and the terminal write the numbers of a setting. `units`: whole currency units. `minor`: minor units. */
export type SettingUnit = "units" | "minor" | "ms" | "s" | "percent";

const whole = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));
const MINOR_MAX = 9_000_000_000_000;
const DAY_MS = 86_400_000;

/** Limits of the platform that a venue changes while it runs. Until it does, the environment's variable of the same meaning holds. */
export const limitFields = {
  largeWin: { schema: whole(0, MINOR_MAX), fallback: 1_000_000 },
  largeWager: { schema: whole(0, MINOR_MAX), fallback: 100_000 },
  discountPercent: { schema: whole(0, 100), fallback: 10 },
  discountPeriodS: { schema: whole(1, 31_536_000), fallback: 86_400 },
  discountBalanceBelow: { schema: whole(0, MINOR_MAX), fallback: 0 },
  emptyWalletSits: { schema: z.boolean(), fallback: true },
  noDepositMs: { schema: whole(1_000, DAY_MS), fallback: 60_000 },
  idleMs: { schema: whole(1_000, DAY_MS), fallback: 120_000 },
  idleCountMs: { schema: whole(1_000, DAY_MS), fallback: 60_000 },
  spectatorsMax: { schema: whole(0, 1_000), fallback: 8 },
  watchedMax: { schema: whole(1, 100), fallback: 2 },
  queuePlaces: { schema: whole(0, 5), fallback: 0 },
  queueLength: { schema: whole(1, 100), fallback: 20 },
  queueReadyMs: { schema: whole(20_000, 60_000), fallback: 30_000 },
  queuePasses: { schema: whole(0, 2), fallback: 1 },
  queueAwayMs: { schema: whole(120_000, 1_800_000), fallback: 600_000 },
  queueAnyBrand: { schema: z.boolean(), fallback: true },
  queueAnyDenomination: { schema: z.boolean(), fallback: true },
  queueTurnMin: { schema: whole(0, 240), fallback: 0 },
  deskCodeMin: { schema: whole(0, 1_440), fallback: 30 },
  withdrawalReview: { schema: whole(0, MINOR_MAX), fallback: 1_000_000 },
  disputeDays: { schema: whole(1, 60), fallback: 3 },
  sampledGames: { schema: whole(0, 20), fallback: 1 },
  seatHoldMin: { schema: whole(0, 60), fallback: 0 },
  seatHoldsPerDay: { schema: whole(1, 20), fallback: 2 },
  seatHoldPrice: { schema: whole(0, 1_000_000), fallback: 0 },
} as const satisfies Record<string, SettingField<number> | SettingField<boolean>>;
export type VenueLimits = {
  readonly [K in keyof typeof limitFields]: (typeof limitFields)[K]["fallback"] extends boolean ? boolean : number;
};
export type LimitKey = keyof typeof limitFields;

/**
 * Keys of Settings.json that stay the server's: addresses, which a mistake would send players' passwords to, what belongs to the network, and numbers of
 * the platform's own wire.
 */
export const SERVER_KEYS = [
  ...(["siteId", "apiUrl", "sessionsPath", "transactionsPath", "templateApiUrl", "passwordPath"] as const),
  ...(["notificationUrl", "gameUrl", "socketTokenInAddress", "iceServers", "defaultPin"] as const),
  ...(["machineStatus", "reconnectStatus"] as const),
] as const satisfies readonly (keyof Settings)[];
export type ServerKey = (typeof SERVER_KEYS)[number];
/** Of these the console shows no value: they may hold secrets. */
export const HIDDEN_KEYS: readonly ServerKey[] = ["iceServers", "defaultPin"];

export type PageKey = Exclude<keyof Settings, ServerKey>;
export type VenueKey = PageKey | LimitKey;
/** What a venue has set; what it has not set comes from Settings.json and the environment. */
export type VenueSettings = Partial<Pick<Settings, PageKey> & VenueLimits>;

/** The venue's settings by what they are about, in the order of the console. */
export const SETTING_GROUPS = {
  money: [
    ...(["currency", "hotFlagLimit", "maxAllIn", "hotCoins", "allowZeroBalance", "throttleMs"] as const),
    ...(["autoBonus", "autoDiscount", "claimThrottleMs", "discountMinBalance", "discountBalanceCheck"] as const),
  ],
  limits: [
    ...(["discountPercent", "discountPeriodS", "discountBalanceBelow", "largeWin", "largeWager"] as const),
    ...(["emptyWalletSits", "noDepositMs", "idleMs", "idleCountMs", "spectatorsMax", "watchedMax"] as const),
    ...(["queuePlaces", "queueLength", "queueReadyMs", "queuePasses", "queueAwayMs"] as const),
    ...(["queueAnyBrand", "queueAnyDenomination", "queueTurnMin", "seatHoldMin", "seatHoldsPerDay"] as const),
    ...(["seatHoldPrice", "disputeDays", "sampledGames", "deskCodeMin", "withdrawalReview"] as const),
  ],
  lobby: ["updateLobby", "showLobby", "showWebcam", "showSplash"],
  game: ["framesPerSecond", "volume", "deactivatedMs", "showRotateScreenMenu"],
  gates: ["minimumAge", "pinCheck", "idleLockMs", "ipCheck", "loginWithToken"],
  texts: [
    ...([
      "loginNotice",
      "careLetter",
      "infoText",
      "footerInfo",
      "language",
      "languageOfBrowser",
      "languageSelect",
    ] as const),
    ...(["header", "showVersion", "externalInfo"] as const),
  ],
  contacts: ["contacts", "showContactOnLogin", "helpList", "independentBodies", "chat"],
  look: ["layout", "theme", "showTemplatePages", "showTemplateKeys"],
} as const satisfies Record<string, readonly VenueKey[]>;
export type SettingGroup = keyof typeof SETTING_GROUPS;
export const VENUE_KEYS: readonly VenueKey[] = Object.values(SETTING_GROUPS).flat();

/** Money, the currency, and a chat's script on every player's page: a change of these needs a second person. */
export const TWO_PERSON_KEYS: ReadonlySet<VenueKey> = new Set<VenueKey>([
  ...(["currency", "maxAllIn", "allowZeroBalance", "discountMinBalance", "discountBalanceCheck"] as const),
  ...(["discountPercent", "discountPeriodS", "discountBalanceBelow", "largeWin", "largeWager"] as const),
  ...(["emptyWalletSits", "seatHoldPrice", "withdrawalReview", "chat"] as const),
]);

/** The unit of each number. A number without one counts things. */
export const SETTING_UNITS: Partial<Record<VenueKey, SettingUnit>> = {
  hotFlagLimit: "units",
  maxAllIn: "units",
  discountMinBalance: "units",
  throttleMs: "ms",
  claimThrottleMs: "ms",
  idleLockMs: "ms",
  deactivatedMs: "ms",
  noDepositMs: "ms",
  idleMs: "ms",
  idleCountMs: "ms",
  updateLobby: "s",
  discountPeriodS: "s",
  discountPercent: "percent",
  discountBalanceBelow: "minor",
  seatHoldPrice: "minor",
  withdrawalReview: "minor",
  largeWin: "minor",
  largeWager: "minor",
};

const FIELDS: Readonly<Record<string, SettingField>> = { ...settingFields, ...limitFields };

export const isVenueKey = (key: string): key is VenueKey => (VENUE_KEYS as readonly string[]).includes(key);

/** The schema and the default of a setting. */
export const fieldOf = (key: VenueKey): SettingField => FIELDS[key] as SettingField;

/** Longest list of a setting, and the most that a whole version may take as JSON. */
const LIST_MAX = 40;
export const SETTINGS_BYTES_MAX = 49_152;
const DEPTH_MAX = 4;

/** Whether a database keeps it and a page shows it: no control characters but a new line, no half of a surrogate pair, not endless. */
function isKeepable(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return value.isWellFormed() && !/[^\P{Cc}\n]/u.test(value);
  if (typeof value !== "object" || value === null) return true;
  const parts: unknown[] = Object.values(value);
  return depth < DEPTH_MAX && parts.length <= LIST_MAX && parts.every((part) => isKeepable(part, depth + 1));
}

/** Why a setting was not taken, in the schema's words. */
export type VenueProblem = { readonly key: string; readonly problem: string };
export type ReadSetting =
  | { readonly is: "taken"; readonly value: unknown }
  | { readonly is: "wrong"; readonly rule: BrokenRule; readonly problem: string };

/** Which rule of its schema a value breaks, so that each language has its own words for it. `bound`: the number, or the words that are taken. */
export type BrokenRule = {
  readonly name: "atMost" | "atLeast" | "oneOf" | "kind" | "form" | "kept";
  readonly bound: string;
};

function brokenRule(issue: z.core.$ZodIssue | undefined): BrokenRule {
  if (issue?.code === "too_big") return { name: "atMost", bound: String(issue.maximum) };
  if (issue?.code === "too_small") return { name: "atLeast", bound: String(issue.minimum) };
  if (issue?.code === "invalid_value") return { name: "oneOf", bound: issue.values.map(String).join(", ") };
  if (issue?.code === "invalid_type") return { name: "kind", bound: issue.expected };
  return { name: "form", bound: "" };
}

const RULE_TEXTS: Readonly<Record<BrokenRule["name"], string>> = {
  atMost: "is at most",
  atLeast: "is at least",
  oneOf: "is one of",
  kind: "is of the kind",
  form: "is not written as its schema wants",
  kept: "has characters or parts that cannot be kept",
};

const wrong = (rule: BrokenRule): ReadSetting => ({
  is: "wrong",
  rule,
  problem: `${RULE_TEXTS[rule.name]} ${rule.bound}`.trim().slice(0, 200),
});

/** Reads one setting as its schema does. */
export function readSetting(key: VenueKey, given: unknown): ReadSetting {
  const { schema, fallback } = fieldOf(key);
  if (!isKeepable(given)) return wrong({ name: "kept", bound: "" });
  const read = z.safeParse(schema, mergeDeep(fallback, given));
  if (read.success) return { is: "taken", value: read.data };
  return wrong(brokenRule(read.error.issues[0]));
}

/**
 * Reads what a version holds. A key that this program does not know belongs to a newer one and is left out; one with a wrong value is a problem, and then
 * the version is not to be used.
 */
export function readVersion(content: unknown): { settings: VenueSettings; problems: VenueProblem[] } {
  if (typeof content !== "object" || content === null || Array.isArray(content))
    return { settings: {}, problems: [{ key: "", problem: "is not a JSON object" }] };
  const problems: VenueProblem[] = [];
  const taken: Record<string, unknown> = {};
  for (const key of VENUE_KEYS) {
    if (!Object.hasOwn(content, key)) continue;
    const read = readSetting(key, (content as Record<string, unknown>)[key]);
    if (read.is === "taken") taken[key] = read.value;
    else problems.push({ key, problem: read.problem });
  }
  return { settings: taken, problems };
}

/** Reads what a person wants to change: by key the new value, or null to take it back to what the server says. */
export function readChanges(changes: Readonly<Record<string, unknown>>): {
  taken: Readonly<Partial<Record<VenueKey, unknown>>>;
  problems: VenueProblem[];
} {
  const taken: Partial<Record<VenueKey, unknown>> = {};
  const problems: VenueProblem[] = [];
  for (const [key, value] of Object.entries(changes)) {
    if (!isVenueKey(key)) problems.push({ key: key.slice(0, 60), problem: "is no setting of the venue" });
    else if (value === null) taken[key] = null;
    else {
      const read = readSetting(key, value);
      if (read.is === "taken") taken[key] = read.value;
      else problems.push({ key, problem: read.problem });
    }
  }
  return { taken, problems };
}
