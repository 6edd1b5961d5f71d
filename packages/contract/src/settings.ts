import * as z from "zod/mini";
import { IceServer } from "./ice-server.ts";
import { WireId } from "./ids.ts";

/** A key of Settings.json: how it is read and what holds without it. What it does is described in `setting-texts.ts`, which the page does not load. */
export type SettingField<T = unknown> = {
  readonly schema: z.ZodMiniType<T>;
  readonly fallback: T;
};

function field<T>(schema: z.ZodMiniType<T>, fallback: NoInfer<T>): SettingField<T> {
  return { schema, fallback };
}

const flag = z.boolean();
const ms = z.number().check(z.gte(0), z.lte(86_400_000));
const units = z.number().check(z.gte(0), z.lte(90_000_000_000));
const text = z.string().check(z.maxLength(4_000));
const address = z.string().check(z.maxLength(2_000));
const PAGE = "http://x/";
/** One that a page can call, absolute or below another; empty where that has a meaning of its own. */
const callable = (schemes: RegExp) =>
  address.check(
    z.refine((given) => URL.canParse(given, PAGE) && schemes.test(new URL(given, PAGE).protocol), "leads nowhere"),
  );
const webAddress = callable(/^https?:/);
const socketAddress = callable(/^(http|ws)s?:/);
/** A text of the operator: the same for all players, or one for each language. */
const words = z.union([text, z.partial(z.object({ tr: text, en: text, ar: text }))]);
/** Without a digit in its phone a contact is a note that leads nowhere. */
const Contact = z.object({ title: words, phone: z.string() });
/** An organisation that helps players, as the operator has confirmed it: a phone, an address of the web, or both. */
const HelpPlace = z
  .object({
    name: words,
    about: z.optional(words),
    phone: z.optional(z.string().check(z.maxLength(40))),
    url: z.optional(webAddress),
  })
  .check(z.refine(({ phone, url }) => /\d/.test(phone ?? "") || url !== undefined, "needs a phone or an address"));
/** An independent body to which a player may take a verdict, for players of one market, or of all. */
const IndependentBody = z.object({
  market: z.optional(z.string().check(z.maxLength(10))),
  name: words,
  address: z.optional(words),
  url: z.optional(webAddress),
});
const HotCoin = z.object({ amount: units, label: z.string() });

/** The id of a palette. An unknown one is read as `night`. */
const palette = z.string().check(z.regex(/^[a-zA-Z0-9-]{1,40}$/));
/** Palettes by region of the page. */
export const ThemeChoice = z.partial(z.object({ main: palette, navbar: palette, toolbar: palette, footer: palette }));

export const LANGUAGES = ["tr", "en", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];
export type OperatorText = string | { readonly [L in Language]?: string | undefined };
export const LAYOUTS = ["layout1", "layout2", "layout3"] as const;

/** Every key of Settings.json (contract.md section 4, specification section 9). Amounts are whole currency units, times ms unless said. */
export const settingFields = {
  siteId: field<string>(WireId as unknown as z.ZodMiniType<string>, "2011"),
  currency: field(z.string().check(z.regex(/^[A-Z]{3}$/)), "TRY"),
  language: field<Language>(z.enum(LANGUAGES), "tr"),
  languageOfBrowser: field(flag, false),
  apiUrl: field(webAddress, "/v1/"),
  sessionsPath: field(webAddress, "player/sessions"),
  transactionsPath: field(webAddress, "player/transactions"),
  templateApiUrl: field(webAddress, "/"),
  passwordPath: field(webAddress, "player/password"),
  notificationUrl: field(socketAddress, ""),
  gameUrl: field(socketAddress, ""),
  socketTokenInAddress: field(flag, true),
  iceServers: field(z.array(IceServer), []),
  hotFlagLimit: field(units, 20_000),
  maxAllIn: field(units, 2_500_000),
  discountMinBalance: field(units, 100),
  discountBalanceCheck: field(flag, true),
  updateLobby: field(z.number().check(z.gte(0), z.lte(86_400)), 10),
  framesPerSecond: field(z.number().check(z.gte(1), z.lte(120)), 30),
  volume: field(z.number().check(z.gte(0), z.lte(1)), 1),
  hotCoins: field(z.array(HotCoin), [
    { amount: 500, label: "500" },
    { amount: 5_000, label: "5.000" },
    { amount: 10_000, label: "10.000" },
    { amount: 50_000, label: "50.000" },
    { amount: 100_000, label: "100.000" },
  ]),
  throttleMs: field(ms, 500),
  claimThrottleMs: field(ms, 30_000),
  idleLockMs: field(ms, 60_000),
  deactivatedMs: field(ms, 300_000),
  autoDiscount: field(flag, true),
  autoBonus: field(flag, true),
  allowZeroBalance: field(flag, true),
  pinCheck: field(flag, false),
  defaultPin: field(z.object({ hash: z.string().check(z.maxLength(128)), hint: text }), { hash: "", hint: "" }),
  ipCheck: field(flag, false),
  showWebcam: field(flag, true),
  showRotateScreenMenu: field(flag, false),
  showLobby: field(flag, true),
  showSplash: field(flag, true),
  showContactOnLogin: field(flag, true),
  loginWithToken: field(flag, false),
  contacts: field(z.array(Contact), []),
  helpList: field(z.array(HelpPlace).check(z.maxLength(12)), []),
  independentBodies: field(z.array(IndependentBody).check(z.maxLength(12)), []),
  loginNotice: field<OperatorText>(words, ""),
  careLetter: field<OperatorText>(words, ""),
  minimumAge: field(z.int().check(z.gte(0), z.lte(99)), 18),
  externalInfo: field(flag, false),
  header: field(flag, true),
  languageSelect: field(flag, true),
  infoText: field(text, ""),
  footerInfo: field(text, ""),
  showVersion: field(flag, true),
  chat: field(z.object({ provider: z.enum(["none", "tawk", "jivo"]), id: z.string(), fallbackScript: address }), {
    provider: "none",
    id: "",
    fallbackScript: "",
  }),
  machineStatus: field(z.record(z.string(), z.enum(["notAvailable", "available", "waiting", "playing", "reserved"])), {
    "0": "notAvailable",
    "1": "available",
    "2": "waiting",
    "3": "playing",
    "4": "reserved",
  }),
  reconnectStatus: field(z.record(z.string(), z.string()), {}),
  layout: field(z.enum(LAYOUTS), "layout3"),
  theme: field(ThemeChoice, {}),
  showTemplatePages: field(flag, true),
  showTemplateKeys: field(flag, false),
} as const;

type Fields = typeof settingFields;
export type Settings = { readonly [K in keyof Fields]: Fields[K]["fallback"] };

/** Why a key of Settings.json was not taken; its default holds instead. */
export type SettingProblem = { readonly key: string; readonly problem: string };

/** The built-in defaults (specification section 9). */
export function defaultSettings(): Settings {
  return Object.fromEntries(Object.entries(settingFields).map(([key, { fallback }]) => [key, fallback])) as Settings;
}

/**
 * Reads an operator's settings over the defaults, key by key: objects merge deep, a bad value is reported and replaced by its
 * default, unknown keys are left alone. Anything that is not an object is one problem and gives the defaults.
 */
export function parseSettings(input: unknown): { settings: Settings; problems: SettingProblem[] } {
  if (!isPlainObject(input)) {
    return { settings: defaultSettings(), problems: [{ key: "", problem: "Settings.json is not a JSON object" }] };
  }
  const problems: SettingProblem[] = [];
  const entries = Object.entries(settingFields).map(([key, setting]) => {
    const field = setting as SettingField;
    const given = Object.hasOwn(input, key) ? input[key] : undefined;
    if (given === undefined) return [key, field.fallback] as const;
    const read = z.safeParse(field.schema, mergeDeep(field.fallback, given));
    if (read.success) return [key, read.data] as const;
    problems.push({ key, problem: read.error.issues[0]?.message ?? "not valid" });
    return [key, field.fallback] as const;
  });
  return { settings: Object.fromEntries(entries) as Settings, problems };
}

/** Plain objects merged key by key into a new one; of anything else the second holds. */
export function mergeDeep<T>(base: T, over: unknown): T {
  // What is merged has the shape of the first where schemas read the second; parseSettings reads what comes out.
  if (!isPlainObject(base) || !isPlainObject(over)) return over as T;
  const merged: Record<string, unknown> = Object.assign(Object.create(null), base);
  for (const [key, value] of Object.entries(over)) merged[key] = mergeDeep(base[key], value);
  return { ...merged } as T;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
