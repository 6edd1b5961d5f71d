import { canonicalJson } from "@longarm/contract/canonical-json";
import { LANGUAGES, LAYOUTS } from "@longarm/contract/settings";
import type { BrokenRule, VenueKey } from "@longarm/contract/venue-settings";
import { fieldOf, isVenueKey, readSetting, VENUE_KEYS } from "@longarm/contract/venue-settings";
import type { AnswerOf } from "../../shared/api.ts";

export type SettingsNow = AnswerOf<"settings">;

/** What a control holds: as it was typed, on or off, or null: what the server says. */
export type Raw = string | boolean | null;
export type Draft = Readonly<Partial<Record<VenueKey, Raw>>>;

const CHOICES: Partial<Record<VenueKey, readonly string[]>> = { language: LANGUAGES, layout: LAYOUTS };
const LONG: ReadonlySet<VenueKey> = new Set<VenueKey>(["infoText", "footerInfo", "loginNotice", "careLetter"]);

export type ControlKind = "switch" | "number" | "choice" | "coins" | "long" | "text" | "json";

/** With which control a setting is written. */
export function controlOf(key: VenueKey): ControlKind {
  const { fallback } = fieldOf(key);
  if (typeof fallback === "boolean") return "switch";
  if (typeof fallback === "number") return "number";
  if (key === "hotCoins") return "coins";
  if (typeof fallback !== "string") return "json";
  if (CHOICES[key] !== undefined) return "choice";
  return LONG.has(key) ? "long" : "text";
}

export const choicesOf = (key: VenueKey): readonly string[] => CHOICES[key] ?? [];

const isCoins = (value: unknown): value is readonly { readonly amount: number }[] =>
  Array.isArray(value) && value.every((coin) => typeof (coin as { amount?: unknown } | null)?.amount === "number");

/** A value as its control holds it. */
export function rawOf(key: VenueKey, value: unknown): string | boolean {
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (controlOf(key) === "coins" && isCoins(value)) return value.map(({ amount }) => amount).join(", ");
  return JSON.stringify(value, null, controlOf(key) === "json" ? 1 : undefined) ?? "";
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `500, 5000` as quick amounts, with labels such as "5.000". */
function coinsIn(text: string): unknown {
  const parts = text.split(",").map((part) => part.trim());
  if (text.trim() === "") return [];
  if (!parts.every((part) => /^\d{1,11}$/.test(part))) return parsedOr(text);
  return parts.map((part) => ({ amount: Number(part), label: Number(part).toLocaleString("tr") }));
}

/** What a control says, as the platform is sent it. What cannot be read stays a text, and its schema refuses it. */
export function settingValue(key: VenueKey, raw: string | boolean): unknown {
  if (typeof raw === "boolean") return raw;
  const kind = controlOf(key);
  if (kind === "number")
    return /^\d{1,14}([.,]\d{1,4})?$/.test(raw.trim()) ? Number(raw.trim().replace(",", ".")) : raw;
  if (kind === "coins") return coinsIn(raw);
  if (kind === "json" || ((key === "loginNotice" || key === "careLetter") && raw.startsWith("{"))) return parsedOr(raw);
  return raw;
}

/** What holds now: the venue's, else the server's. */
export const heldOf = ({ content, base }: SettingsNow, key: VenueKey): unknown =>
  Object.hasOwn(content, key) ? content[key] : base[key];

/** What the control of a setting shows. */
export function shownOf(now: SettingsNow, draft: Draft, key: VenueKey): string | boolean {
  const raw = draft[key];
  if (raw === undefined) return rawOf(key, heldOf(now, key));
  return raw === null ? rawOf(key, now.base[key]) : raw;
}

/** The draft with one setting as it was written; one that says what holds anyway leaves it. */
export function withSetting(now: SettingsNow, draft: Draft, key: VenueKey, raw: Raw): Draft {
  const { [key]: _, ...rest } = draft;
  if (raw === null) return Object.hasOwn(now.content, key) ? { ...rest, [key]: null } : rest;
  return canonicalJson(settingValue(key, raw)) === canonicalJson(heldOf(now, key)) ? rest : { ...rest, [key]: raw };
}

export type Change = {
  readonly key: VenueKey;
  readonly before: unknown;
  readonly after: unknown;
  /** What the platform is sent; null: what the server says. */
  readonly sent: unknown;
  readonly rule: BrokenRule | undefined;
};

/** Exactly what a draft would change, with what is wrong with it. */
export function changesOf(now: SettingsNow, draft: Draft): Change[] {
  return VENUE_KEYS.flatMap((key): Change[] => {
    const raw = draft[key];
    if (raw === undefined) return [];
    const before = heldOf(now, key);
    if (raw === null) return [{ key, before, after: now.base[key], sent: null, rule: undefined }];
    const value = settingValue(key, raw);
    const read = readSetting(key, value);
    return [{ key, before, after: value, sent: value, rule: read.is === "wrong" ? read.rule : undefined }];
  });
}

/** Settings written as one JSON object; undefined: it is none. Keys of others are left out. */
export function draftOfJson(
  now: SettingsNow,
  draft: Draft,
  keys: readonly VenueKey[],
  text: string,
): Draft | undefined {
  const read = parsedOr(text);
  if (typeof read !== "object" || read === null || Array.isArray(read)) return undefined;
  return Object.entries(read).reduce<Draft>(
    (all, [key, value]) =>
      isVenueKey(key) && keys.includes(key) ? withSetting(now, all, key, rawOf(key, value)) : all,
    draft,
  );
}

/** The settings of a group as one JSON object. */
export const jsonOf = (now: SettingsNow, draft: Draft, keys: readonly VenueKey[]): string =>
  JSON.stringify(Object.fromEntries(keys.map((key) => [key, settingValue(key, shownOf(now, draft, key))])), null, 2);

const SAID_MAX = 80;
/** A value in a list of differences. */
export function saidOf(value: unknown): string {
  const text = isCoins(value)
    ? value.map(({ amount }) => amount).join(", ")
    : String(typeof value === "object" ? JSON.stringify(value) : value);
  const said = text === "" ? "–" : text;
  return said.length > SAID_MAX ? `${said.slice(0, SAID_MAX)}…` : said;
}
