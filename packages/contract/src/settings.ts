import * as z from "zod/mini";
import { IceServer } from "./game-socket.ts";
import { WireId } from "./ids.ts";

/** A key of Settings.json: how it is read, what holds without it, and one sentence of what it does. */
export type SettingField<T = unknown> = {
  readonly schema: z.ZodMiniType<T>;
  readonly fallback: T;
  readonly about: string;
};

function field<T>(schema: z.ZodMiniType<T>, fallback: NoInfer<T>, about: string): SettingField<T> {
  return { schema, fallback, about };
}

const flag = z.boolean();
const ms = z.number().check(z.gte(0), z.lte(86_400_000));
const units = z.number().check(z.gte(0), z.lte(90_000_000_000));
const text = z.string().check(z.maxLength(4_000));
const address = z.string().check(z.maxLength(2_000));
const Contact = z.object({ title: z.string(), phone: z.string() });
const HotCoin = z.object({ amount: units, label: z.string() });

export const LANGUAGES = ["tr", "en", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];
export const LAYOUTS = ["layout1", "layout2", "layout3"] as const;

/** Every key of Settings.json (contract.md section 4, specification section 9). Amounts are whole currency units, times ms unless said. */
export const settingFields = {
  siteId: field<string>(WireId as unknown as z.ZodMiniType<string>, "2011", "Sent with every login."),
  currency: field(z.string().check(z.regex(/^[A-Z]{3}$/)), "TRY", "ISO 4217 code of all amounts."),
  language: field<Language>(z.enum(LANGUAGES), "tr", "Language before the player chose one."),
  apiUrl: field(address, "/v1/", "Base of the API; a slash is added when it lacks one."),
  sessionsPath: field(
    address,
    "player/sessions",
    "Where the slot sessions come from, below the API base, or a whole address.",
  ),
  transactionsPath: field(
    address,
    "player/transactions",
    "Where the transactions come from, below the API base, or a whole address.",
  ),
  templateApiUrl: field(address, "/", "Base of the template's /api calls."),
  passwordPath: field(
    address,
    "player/password",
    "Where a new password is sent, below the API base, or a whole address.",
  ),
  notificationUrl: field(address, "", "Notification socket; empty: /notifications on the API's origin."),
  gameUrl: field(address, "", "Game socket; empty: the machine's own url, else /game on the API's origin."),
  iceServers: field(z.array(IceServer), [], "STUN or TURN servers; those of the game socket win."),
  hotFlagLimit: field(units, 20_000, "A jackpot above it is hot."),
  maxAllIn: field(units, 2_500_000, "The most that all-in transfers."),
  discountMinBalance: field(units, 100, "A discount needs a balance below it."),
  discountBalanceCheck: field(flag, true, "Whether discountMinBalance is looked at."),
  updateLobby: field(z.number().check(z.gte(0), z.lte(86_400)), 10, "Seconds between lobby refreshes; 0: never."),
  framesPerSecond: field(z.number().check(z.gte(1), z.lte(120)), 30, "Wanted video rate."),
  volume: field(z.number().check(z.gte(0), z.lte(1)), 1, "Volume at first, 0 to 1."),
  hotCoins: field(
    z.array(HotCoin),
    [
      { amount: 500, label: "500" },
      { amount: 5_000, label: "5.000" },
      { amount: 10_000, label: "10.000" },
      { amount: 50_000, label: "50.000" },
      { amount: 100_000, label: "100.000" },
    ],
    "Quick amounts of the money sheet.",
  ),
  throttleMs: field(ms, 500, "Least time between two uses of a money, claim or tool button."),
  claimThrottleMs: field(ms, 30_000, "Least time between two discounts, or two bonuses, of one browser."),
  idleLockMs: field(ms, 60_000, "Idle time before the screen locks (with pinCheck)."),
  deactivatedMs: field(ms, 300_000, "Idle time before the page asks whether to continue."),
  autoDiscount: field(flag, true, "Shows the discount button."),
  autoBonus: field(flag, true, "Shows the bonus button."),
  allowZeroBalance: field(flag, true, "Whether a machine may be opened with an empty wallet."),
  pinCheck: field(flag, false, "Locks the screen when idle, opened by the PIN."),
  defaultPin: field(
    z.object({ hash: z.string().check(z.maxLength(128)), hint: text }),
    { hash: "", hint: "" },
    "PIN hash for players without one, and the hint shown; none ships.",
  ),
  ipCheck: field(flag, false, "Asks /check before anything else."),
  showWebcam: field(flag, true, "Shows the room camera where the machine has one."),
  showLobby: field(flag, true, "Shows brands; off: all machines in one list."),
  showSplash: field(flag, true, "Shows the splash while the token is checked."),
  showContactOnLogin: field(flag, true, "Shows the contacts on the login screen."),
  loginWithToken: field(flag, false, "Only a token in the address signs in; the form is not shown."),
  contacts: field(z.array(Contact), [], "WhatsApp contacts: title and phone."),
  externalInfo: field(flag, false, "Offers the six info pages."),
  header: field(flag, true, "Shows the header."),
  languageSelect: field(flag, true, "Shows the language select in the header."),
  infoText: field(text, "", "Text of the header's info dialog; empty: none."),
  footerInfo: field(text, "", "Text of the footer's information bar; empty: none."),
  showVersion: field(flag, true, "Shows the version label."),
  chat: field(
    z.object({ provider: z.enum(["none", "tawk", "jivo"]), id: z.string(), fallbackScript: address }),
    { provider: "none", id: "", fallbackScript: "" },
    "Live-chat widget; fallbackScript is loaded after 5 s when no widget came up.",
  ),
  machineStatus: field(
    z.record(z.string(), z.enum(["notAvailable", "available", "waiting", "playing", "reserved"])),
    { "0": "notAvailable", "1": "available", "2": "waiting", "3": "playing", "4": "reserved" },
    "Machine status numbers of the platform.",
  ),
  reconnectStatus: field(z.record(z.string(), z.string()), {}, "Other names for the reconnect dialog's variants."),
  layout: field(z.enum(LAYOUTS), "layout3", "The shell."),
  theme: field(z.record(z.string(), z.string()), {}, "Palette of main, navbar, toolbar and footer."),
  showTemplatePages: field(flag, true, "Keeps the template's routes."),
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
    const read = z.safeParse(field.schema, merge(field.fallback, given));
    if (read.success) return [key, read.data] as const;
    problems.push({ key, problem: read.error.issues[0]?.message ?? "not valid" });
    return [key, field.fallback] as const;
  });
  return { settings: Object.fromEntries(entries) as Settings, problems };
}

function merge(base: unknown, over: unknown): unknown {
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const merged: Record<string, unknown> = Object.assign(Object.create(null), base);
  for (const [key, value] of Object.entries(over)) merged[key] = merge(base[key], value);
  return { ...merged };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
